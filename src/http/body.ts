// Reading a request's body: size limit, JSON content type, JSON.
import type { IncomingMessage } from 'node:http'
import { Refusal } from '../core/failure.ts'
import { parseJson } from '../lib/json.ts'

/** The client closed while it was still sending; there is nobody to answer. */
export class BodyAborted extends Error {
  override readonly name = 'BodyAborted'
}

/** How long the rest of a body over the limit is read and thrown away, so that its sender gets to read our 413. */
const DRAIN_MS = 20_000
/** … and how much of it, beyond the limit. */
const DRAIN_BYTES = 256 * 1024 * 1024

/** Parsing this much takes the better part of a millisecond. */
const LARGE_BYTES = 32 * 1024

let lastTurn = Promise.resolve()

/** Large bodies that arrive together are parsed one per turn of the event loop, so that running streams get theirs. */
function ownTurn(): Promise<void> {
  lastTurn = lastTurn.then(
    () =>
      new Promise((resolve) => {
        setImmediate(resolve)
      }),
  )
  return lastTurn
}

const JSON_TYPE = /^application\/(?:[\w.!#$&^-]+\+)?json\s*(?:;|$)/i

/**
 * @returns the parsed body.
 * @throws Refusal `unsupported-media-type`, `body-too-large`, `invalid-request`; BodyAborted when the client left.
 */
export async function readJsonBody(
  incoming: IncomingMessage,
  limitBytes: number,
): Promise<unknown> {
  requireJson(incoming)
  const bytes = await readBytes(incoming, limitBytes)
  if (bytes.length > LARGE_BYTES) await ownTurn()
  const text = bytes.toString('utf8')
  const body = parseJson(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
  if (body !== undefined) return body
  throw new Refusal(
    'invalid-request',
    text.trim() === ''
      ? 'The request has no body; expected a JSON object.'
      : 'The request body is not valid JSON; expected a JSON object.',
  )
}

function requireJson(incoming: IncomingMessage): void {
  const type = incoming.headers['content-type']
  if (type === undefined || !JSON_TYPE.test(type)) {
    const got = type === undefined ? 'none was sent' : `got ${JSON.stringify(type.slice(0, 100))}`
    throw new Refusal(
      'unsupported-media-type',
      `Content-Type must be application/json or application/*+json; ${got}.`,
    )
  }
  const encoding = incoming.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new Refusal(
      'unsupported-media-type',
      `Content-Encoding ${JSON.stringify(encoding.slice(0, 100))} is not supported; send the JSON uncompressed.`,
    )
  }
}

/**
 * A body over the limit is read to its end (within bounds) before it is refused: answered earlier, a sender that
 * writes all before it reads would meet a reset connection instead of the 413.
 */
function readBytes(incoming: IncomingMessage, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    let over = Number(incoming.headers['content-length'] ?? 0) > limitBytes
    let timer: NodeJS.Timeout | undefined
    const refuse = (): void => {
      clearTimeout(timer)
      incoming.off('data', onData)
      reject(tooLarge(limitBytes))
    }
    const drainOnly = (): void => {
      over = true
      chunks.length = 0
      timer ??= setTimeout(refuse, DRAIN_MS)
    }
    const onData = (chunk: Buffer): void => {
      size += chunk.length
      if (!over) chunks.push(chunk)
      if (size > limitBytes && !over) drainOnly()
      if (size > limitBytes + DRAIN_BYTES) refuse()
    }
    if (over) drainOnly()
    incoming.on('data', onData)
    incoming.on('end', () => (over ? refuse() : resolve(Buffer.concat(chunks, size))))
    incoming.on('error', (cause) => reject(new BodyAborted('client left', { cause })))
    incoming.on('close', () => {
      clearTimeout(timer)
      // After the end it would be an error object with its stack for every request there is.
      if (!incoming.readableEnded) reject(new BodyAborted('client left'))
    })
  })
}

function tooLarge(limitBytes: number): Refusal {
  const limit =
    limitBytes % 1_048_576 === 0 ? `${limitBytes / 1_048_576} MB` : `${limitBytes} bytes`
  return new Refusal(
    'body-too-large',
    `The request body is larger than ${limit}; the setting limits.body_mb raises the limit.`,
  )
}
