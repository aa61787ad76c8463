// Tokens of a picture, from the size in its header where that is cheap to read. Pure.
import type { ImageSource } from '../core/turn.ts'

/** Assumed for a picture whose size we cannot see; compare with a provider's count to refine. */
const UNKNOWN_IMAGE_TOKENS = 1_500

// Source: Anthropic's documentation of vision, 2026: tokens = width * height / 750, pictures above 1568 px are scaled down.
const PIXELS_PER_TOKEN = 750
const LONGEST_EDGE = 1_568

/** Base64 characters decoded for the header: a JPEG's size stands behind its metadata, seldom further in than this. */
const HEADER_CHARS = 65_536

export function imageTokens(source: ImageSource): number {
  if (source.kind === 'url') return UNKNOWN_IMAGE_TOKENS
  const size = imageSize(Buffer.from(source.data.slice(0, HEADER_CHARS), 'base64'))
  if (size === undefined) return UNKNOWN_IMAGE_TOKENS
  const scale = Math.min(1, LONGEST_EDGE / Math.max(size.width, size.height))
  return Math.max(1, Math.ceil((size.width * scale * size.height * scale) / PIXELS_PER_TOKEN))
}

export interface Size {
  readonly width: number
  readonly height: number
}

/** Width and height of a PNG, JPEG, GIF or WebP from its first bytes, undefined for anything else or a damaged header. */
export function imageSize(bytes: Buffer): Size | undefined {
  const size = pngSize(bytes) ?? jpegSize(bytes) ?? gifSize(bytes) ?? webpSize(bytes)
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined
}

// Source: PNG specification (W3C, third edition) 5.2 and 11.2.2: signature, then IHDR with width and height.
function pngSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 24 || bytes.readUInt32BE(0) !== 0x89504e47) return undefined
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

// Source: GIF89a specification 17 and 18: signature and version, then the logical screen's width and height.
function gifSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 10 || !/^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6))) return undefined
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
}

// Source: RFC 9649: RIFF header, then a chunk VP8X (canvas less one), VP8L (14 bits less one each) or VP8 (RFC 6386, 9.1).
function webpSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 30 || bytes.toString('latin1', 0, 4) !== 'RIFF') return undefined
  switch (bytes.toString('latin1', 8, 16)) {
    case 'WEBPVP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    case 'WEBPVP8L': {
      const bits = bytes.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'WEBPVP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    default:
      return undefined
  }
}

// Source: ITU T.81 B.2: segments FF xx length; a start-of-frame segment holds precision, height, width.
function jpegSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined
  let at = 2
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0
    if (isStartOfFrame(marker)) {
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
    }
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}

/** C0–CF without the tables and extensions that share the range (DHT, JPG, DAC). */
function isStartOfFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}
