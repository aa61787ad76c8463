// Server-sent events: frames to text, and the headers of such a stream.
import type { Frame } from '../protocols/protocol.ts'

/** `no-transform` and `x-accel-buffering` keep proxies in between from holding frames back. */
export const SSE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** One frame: the event line where the protocol has one, one data line, a blank line. `data` holds no line break. */
export function sseText(frame: Frame): string {
  const data = `data: ${frame.data}\n\n`
  return frame.event === undefined ? data : `event: ${frame.event}\n${data}`
}

export function sseTexts(frames: readonly Frame[]): string {
  let text = ''
  for (const frame of frames) text += sseText(frame)
  return text
}
