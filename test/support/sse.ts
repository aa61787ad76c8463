// Raw bytes of an event stream → frames, strictly: whatever a careless writer could get wrong throws here.
import type { Frame } from '../../src/protocols/protocol.ts'

/** One read of the socket. */
export interface Piece {
  /** Milliseconds since the request was sent. */
  readonly atMs: number
  readonly bytes: Uint8Array
}

export interface TimedFrame extends Frame {
  /** When its last byte was read, milliseconds since the request was sent. */
  readonly atMs: number
}

/**
 * The frames of a whole stream. Each one is an optional `event:` line, exactly one `data:` line and a blank line.
 * @throws on anything else: comments, several data lines, carriage returns, bytes that are no UTF-8, a cut last frame.
 */
export function framesOf(pieces: readonly Piece[]): readonly TimedFrame[] {
  const frames: TimedFrame[] = []
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  for (const { atMs, bytes } of pieces) {
    const parts = (rest + decoder.decode(bytes, { stream: true })).split('\n\n')
    rest = parts.pop() ?? ''
    for (const part of parts) frames.push({ ...frameOf(part), atMs })
  }
  rest += decoder.decode()
  if (rest !== '') throw new Error(`the stream ends inside a frame: ${JSON.stringify(rest)}`)
  return frames
}

function frameOf(text: string): Frame {
  const match = /^(?:event: ([a-z_.]+)\n)?data: ([^\r\n]+)$/.exec(text)
  if (match?.[2] === undefined) throw new Error(`not a frame: ${JSON.stringify(text)}`)
  return { event: match[1], data: match[2] }
}
