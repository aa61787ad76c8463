// Token counts of requests and of streamed answers, by our own estimate, without holding the thread.
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { assertNever } from '../core/events.ts'
import type { Part, ResultPart, Turn } from '../core/turn.ts'
import { imageTokens } from './image-tokens.ts'
import { SLICE_CHARS, sliceTokens, wholeTokens } from './text-tokens.ts'

export { countText } from './text-tokens.ts'

export interface TokenCounter {
  /** Tokens of the whole request: messages, tools, pictures. Never rejects for any turn. */
  countTurn(turn: Turn): Promise<number>
}

// Assumed: what a provider adds around a message, a tool and a request; `hi` alone then counts 8, as it does there.
const REQUEST_TOKENS = 3
const MESSAGE_TOKENS = 4
const TOOL_TOKENS = 8

/** Slices that the cache remembers; an entry is a digest and a number, some 150 bytes. */
const CACHED_SLICES = 20_000
/** Shorter slices are counted faster than they are looked up. */
const CACHE_FROM_CHARS = 512
/** Turns up to this many characters are counted at once, without waiting for a turn of the event loop. */
const AT_ONCE_CHARS = 8_192

/**
 * A counter whose calls share one cache and one share of the thread: however many turns are counted at a time,
 * together they take at most `yieldAfterMs` between two turns of the event loop (counted from the first slice of each
 * stretch; one slice is at most 8,192 characters). Counts are remembered by digest, never by text.
 */
export function createTokenCounter(options: { readonly yieldAfterMs: number }): TokenCounter {
  const cache = new LRUCache<string, number>({ max: CACHED_SLICES })
  const waiting: Count[] = []
  let scheduled = false

  const runStretch = (): void => {
    scheduled = false
    const start = performance.now()
    let longest = 0
    let last = start
    // The next slice may take as long as the longest one so far: it must still fit.
    while (waiting.length > 0 && last - start + longest <= options.yieldAfterMs) {
      const count = waiting[0]
      if (count !== undefined && step(count, cache)) waiting.shift()
      const now = performance.now()
      longest = Math.max(longest, now - last)
      last = now
    }
    schedule()
  }
  const schedule = (): void => {
    if (scheduled || waiting.length === 0) return
    scheduled = true
    setImmediate(runStretch)
  }

  return {
    countTurn(turn) {
      return new Promise((resolve) => {
        const count: Count = { work: slices(turn), total: 0, resolve }
        if (isShort(turn)) {
          while (!step(count, cache));
          return
        }
        waiting.push(count)
        schedule()
      })
    },
  }
}

interface Count {
  readonly work: Iterator<Slice | number>
  total: number
  readonly resolve: (tokens: number) => void
}

interface Slice {
  readonly text: string
  readonly from: number
  readonly to: number
}

/** Counts one slice; true when it was the last and the count has been handed out. */
function step(count: Count, cache: LRUCache<string, number>): boolean {
  const next = count.work.next()
  if (next.done === true) {
    count.resolve(wholeTokens(count.total))
    return true
  }
  count.total += typeof next.value === 'number' ? next.value : cachedTokens(next.value, cache)
  return false
}

function cachedTokens(slice: Slice, cache: LRUCache<string, number>): number {
  const { text, from, to } = slice
  if (to - from < CACHE_FROM_CHARS) return sliceTokens(text, from, to)
  const key = createHash('sha1').update(text.slice(from, to)).digest('base64')
  const known = cache.get(key)
  if (known !== undefined) return known
  const tokens = sliceTokens(text, from, to)
  cache.set(key, tokens)
  return tokens
}

/** Everything of a turn that counts, lazily, so that no stretch builds more than it counts. */
function* slices(turn: Turn): Generator<Slice | number, void> {
  yield REQUEST_TOKENS
  for (const message of turn.messages) {
    yield MESSAGE_TOKENS
    for (const part of message.parts) yield* partSlices(part)
  }
  for (const tool of turn.tools) {
    yield TOOL_TOKENS
    yield* textSlices(tool.name)
    yield* textSlices(tool.description)
    yield* textSlices(JSON.stringify(tool.parameters))
  }
}

function* partSlices(part: Part): Generator<Slice | number, void> {
  switch (part.type) {
    case 'text':
    case 'past-activity':
      yield* textSlices(part.text)
      break
    case 'tool-call':
      yield TOOL_TOKENS
      yield* textSlices(part.name)
      yield* textSlices(JSON.stringify(part.arguments))
      break
    case 'tool-result':
      yield TOOL_TOKENS
      for (const entry of part.content) yield* resultSlices(entry)
      break
    case 'image':
      yield imageTokens(part.source)
      break
    // Neither reaches the model: earlier thinking is left out of the prompt, and so are blocks we do not understand.
    case 'thinking':
    case 'unsupported':
      break
    default:
      assertNever(part)
  }
}

function* resultSlices(part: ResultPart): Generator<Slice | number, void> {
  if (part.type === 'image') yield imageTokens(part.source)
  else yield* textSlices(part.text)
}

function* textSlices(text: string): Generator<Slice, void> {
  for (let from = 0; from < text.length; from += SLICE_CHARS) {
    yield { text, from, to: Math.min(from + SLICE_CHARS, text.length) }
  }
}

/** Whether the turn is surely small: only plain texts, few of them, no tools. */
function isShort(turn: Turn): boolean {
  if (turn.tools.length > 0 || turn.messages.length > 32) return false
  let chars = 0
  for (const message of turn.messages) {
    for (const part of message.parts) {
      if (part.type !== 'text') return false
      chars += part.text.length
    }
  }
  return chars <= AT_ONCE_CHARS
}

export interface TokenMeter {
  add(text: string): void
  /** Tokens of all that was added so far. */
  total(): number
}

/** Characters that wait for their word to be complete before they are counted. */
const METER_CHARS = 2_048

/** Counts a streamed text piece by piece; about the same as `countText` of the whole, in constant memory. */
export function createTokenMeter(): TokenMeter {
  let counted = 0
  let tail = ''
  return {
    add(text) {
      tail += text
      if (tail.length < METER_CHARS) return
      const cut = lastBoundary(tail)
      counted += sliceTokens(tail, 0, cut)
      tail = tail.slice(cut)
    },
    total: () => wholeTokens(counted + sliceTokens(tail, 0, tail.length)),
  }
}

/** Where a text can be cut without cutting a word: before its last blank, or at its end when there is none late in it. */
function lastBoundary(text: string): number {
  const at = Math.max(text.lastIndexOf(' '), text.lastIndexOf('\n'))
  return at > text.length / 2 ? at : text.length
}
