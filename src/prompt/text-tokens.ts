// Tokens of a text by an estimate that walks it once, without regular expressions and without a vocabulary: pieces are
// cut as o200k cuts them (word with the one character before it, up to three digits, run of punctuation, run of blanks),
// and each piece costs what such pieces cost on average. Some 30 times as fast as a real tokenizer, which also wants 50 MB.

import { KIND, kindOf } from './char-kinds.ts'
import {
  AFTER,
  type After,
  blankCost,
  HAN_FIRST,
  HAN_KIND,
  HAN_RATE,
  markCost,
  RATE,
  SHAPE,
  wordCost,
} from './token-costs.ts'

/** Texts are counted in slices of this many UTF-16 units: far below a millisecond each. */
export const SLICE_CHARS = 8_192

/** Estimated tokens of a whole text; pure, 0 for ''. Takes the thread for about 1 ms per 100 kB. */
export function countText(text: string): number {
  let total = 0
  for (let from = 0; from < text.length; from += SLICE_CHARS) {
    total += sliceTokens(text, from, Math.min(from + SLICE_CHARS, text.length))
  }
  return wholeTokens(total)
}

/** A count to report: whole, and at least 1 for whatever is not nothing. */
export function wholeTokens(tokens: number): number {
  return tokens <= 0 ? 0 : Math.max(1, Math.round(tokens))
}

/** Estimated tokens of `text` from index `from` up to `to`, with fractions. Text outside is not looked at. */
export function sliceTokens(text: string, from: number, to: number): number {
  const walk: Walk = { text, at: from, to, before: AFTER.start, total: 0, han: NO_HAN() }
  while (walk.at < to) step(walk)
  return walk.total + hanTokens(walk.han)
}

interface Walk {
  readonly text: string
  readonly to: number
  at: number
  /** What stands before the next word. */
  before: After
  total: number
  readonly han: HanCount
}

interface HanCount {
  han: number
  kana: number
  simplified: number
  traditional: number
}

const NO_HAN = (): HanCount => ({ han: 0, kana: 0, simplified: 0, traditional: 0 })

function step(walk: Walk): void {
  const code = walk.text.charCodeAt(walk.at)
  const kind = kindOf(code)
  switch (kind) {
    case KIND.lower:
    case KIND.upper:
    case KIND.accent:
      word(walk)
      break
    case KIND.digit:
      digits(walk)
      break
    case KIND.blank:
    case KIND.line:
      blanks(walk)
      break
    case KIND.mark:
      marks(walk, code)
      break
    default:
      foreign(walk, code, kind)
  }
}

/** Capitals, then small letters: `HTTPServer` is one piece, `camelCase` two. A contraction (`'s`) belongs to it. */
function word(walk: Walk): void {
  const { text, to } = walk
  const start = walk.at
  let at = start
  while (at < to && kindOf(text.charCodeAt(at)) === KIND.upper) at += 1
  const uppers = at - start
  let accents = 0
  while (at < to) {
    const kind = kindOf(text.charCodeAt(at))
    if (kind === KIND.accent) accents += 1
    else if (kind !== KIND.lower) break
    at += 1
  }
  const letters = at - start
  walk.total += wordCost(walk.before, shapeOf(uppers, letters), letters, accents)
  const contraction = contractionLength(text, at, to)
  if (contraction > 0) walk.total += 0.3
  walk.at = at + contraction
  walk.before = AFTER.letter
}

function shapeOf(uppers: number, letters: number): (typeof SHAPE)[keyof typeof SHAPE] {
  if (uppers === 0) return SHAPE.lower
  if (uppers === letters) return SHAPE.upper
  return uppers === 1 ? SHAPE.capital : SHAPE.mixed
}

function contractionLength(text: string, at: number, to: number): number {
  if (at + 1 >= to || text[at] !== "'") return 0
  const first = text[at + 1] ?? ''
  if ('sdmt'.includes(first)) return 2
  const second = text.slice(at + 1, Math.min(at + 3, to))
  return second === 'll' || second === 've' || second === 're' ? 3 : 0
}

function digits(walk: Walk): void {
  const start = walk.at
  let at = start
  while (at < walk.to && kindOf(walk.text.charCodeAt(at)) === KIND.digit) at += 1
  walk.total += Math.ceil((at - start) / 3)
  walk.at = at
  walk.before = AFTER.digit
}

/** Line breaks are one piece with the blanks before them; the last blank before a word or a mark belongs to that. */
function blanks(walk: Walk): void {
  const { text, to } = walk
  const start = walk.at
  let at = start
  let lineEnd = start
  let kind: number = KIND.blank
  while (at < to) {
    kind = kindOf(text.charCodeAt(at))
    if (kind === KIND.line) lineEnd = at + 1
    else if (kind !== KIND.blank) break
    at += 1
  }
  if (lineEnd > start) walk.total += 1
  const trailing = at - lineEnd
  const own = at < to && kind !== KIND.digit ? trailing - 1 : trailing
  if (own > 0) walk.total += blankCost(own)
  walk.at = at
  walk.before = trailing > 0 ? AFTER.blank : AFTER.start
}

/** One mark directly before a letter is part of that word; a longer run is a piece of its own with the line break after it. */
function marks(walk: Walk, first: number): void {
  const { text, to } = walk
  const start = walk.at
  let at = start + 1
  let allSame = true
  while (at < to) {
    const code = text.charCodeAt(at)
    if (kindOf(code) !== KIND.mark) break
    if (code !== first) allSame = false
    at += 1
  }
  walk.at = at
  const joins = at === start + 1 && walk.before !== AFTER.blank
  if (joins && at < to && isLetter(kindOf(text.charCodeAt(at)))) {
    walk.before = AFTER.mark
    return
  }
  walk.total += markCost(at - start, allSame)
  while (walk.at < to && kindOf(text.charCodeAt(walk.at)) === KIND.line) walk.at += 1
  walk.before = AFTER.start
}

function isLetter(kind: number): boolean {
  return kind === KIND.lower || kind === KIND.upper || kind === KIND.accent
}

/** One unit of a script without a table of words. */
function foreign(walk: Walk, code: number, kind: number): void {
  walk.at += 1
  walk.before = AFTER.start
  switch (kind) {
    case KIND.han: {
      walk.han.han += 1
      const side = HAN_KIND[code - HAN_FIRST]
      if (side === 1) walk.han.simplified += 1
      else if (side === 2) walk.han.traditional += 1
      return
    }
    case KIND.kana:
      walk.han.kana += 1
      walk.total += RATE.kana
      return
    case KIND.hangul:
      walk.total += RATE.hangul
      return
    case KIND.cyrillic:
      walk.total += RATE.cyrillic
      return
    case KIND.otherLetter:
      walk.total += RATE.otherLetter
      return
    case KIND.cjkMark:
      walk.total += RATE.mark
      return
    case KIND.surrogate:
      walk.total += RATE.surrogate
      return
    default:
      walk.total += walk.text.charCodeAt(walk.at - 2) === code ? RATE.repeatedSymbol : RATE.symbol
  }
}

/** The same character costs more in traditional than in simplified Chinese: the tokenizer has seen less of it. */
function hanTokens(count: HanCount): number {
  if (count.han === 0) return 0
  if (count.kana * 4 > count.han) return count.han * HAN_RATE.japanese
  const marked = count.simplified + count.traditional
  if (marked === 0) return count.han * HAN_RATE.unknown
  const share = count.traditional / marked
  return count.han * (HAN_RATE.simplified + share * (HAN_RATE.traditional - HAN_RATE.simplified))
}
