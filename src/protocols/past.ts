// Words for what ran by itself in an earlier turn and comes back in a history. Readable, and short: the work is done, the
// files show it.
import type { Json, Part } from '../core/turn.ts'

/** How the calls seen so far are called, by id: a result may name its call only by id. */
export type PastCalls = Map<string, string>

export function pastCall(
  calls: PastCalls,
  id: string,
  name: string,
  input: Json | undefined,
): Part {
  const args = Object.entries(isRecord(input) ? input : {})
  const main = args.find(([, value]) => typeof value === 'string' && value !== '')?.[1]
  calls.set(id, main === undefined ? name : `${name} (${short(main, 60)})`)
  const list = args.map(([key, value]) => `${key}: ${short(value, 300)}`).join(', ')
  return { type: 'past-activity', text: `${name} was run${list === '' ? '' : ` with ${list}`}` }
}

/** `text`: what came out, '' for nothing. */
export function pastOutcome(calls: PastCalls, id: string, text: string, failed: boolean): Part {
  const name = calls.get(id) ?? 'A tool'
  if (text === '') return { type: 'past-activity', text: `${name} ${failed ? 'failed' : 'ended'}` }
  return { type: 'past-activity', text: `${name} ${failed ? 'failed' : 'returned'}: ${text}` }
}

function isRecord(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** One line of at most `most` characters and the count of those left out. */
function short(value: Json, most: number): string {
  const plain = typeof value === 'string' && !/[\r\n]/.test(value)
  const text = plain ? value : JSON.stringify(value)
  if (text.length <= most) return text
  return `${text.slice(0, most)}… (${text.length - most} characters left out)`
}
