// What kind of character a UTF-16 unit is, as far as token counting tells them apart. One table, no code per text.

export const KIND = {
  lower: 0,
  upper: 1,
  digit: 2,
  blank: 3,
  line: 4,
  mark: 5,
  accent: 6,
  han: 7,
  kana: 8,
  hangul: 9,
  cyrillic: 10,
  otherLetter: 11,
  cjkMark: 12,
  symbol: 13,
  surrogate: 14,
} as const
type Kind = (typeof KIND)[keyof typeof KIND]

/** First code unit after a block, and what the block holds, in order. Source: Unicode 16, Blocks.txt, roughly. */
const BLOCKS: readonly (readonly [end: number, kind: Kind])[] = [
  [0x0080, KIND.mark],
  [0x00c0, KIND.symbol],
  [0x0250, KIND.accent],
  [0x0300, KIND.otherLetter],
  [0x0400, KIND.otherLetter],
  [0x0530, KIND.cyrillic],
  [0x1100, KIND.otherLetter],
  [0x1200, KIND.hangul],
  [0x1e00, KIND.otherLetter],
  [0x1f00, KIND.accent],
  [0x2000, KIND.otherLetter],
  [0x2e80, KIND.symbol],
  [0x3000, KIND.han],
  [0x3040, KIND.cjkMark],
  [0x3100, KIND.kana],
  [0x3130, KIND.otherLetter],
  [0x3190, KIND.hangul],
  [0x3400, KIND.cjkMark],
  [0xa000, KIND.han],
  [0xa960, KIND.otherLetter],
  [0xa980, KIND.hangul],
  [0xac00, KIND.otherLetter],
  [0xd800, KIND.hangul],
  [0xe000, KIND.surrogate],
  [0xf900, KIND.symbol],
  [0xfb00, KIND.han],
  [0xfe00, KIND.otherLetter],
  [0xfff0, KIND.cjkMark],
  [0x10000, KIND.symbol],
]

/** Kind of every UTF-16 unit. */
const KINDS: Uint8Array = kinds()

function kinds(): Uint8Array {
  const table = new Uint8Array(0x10000)
  let start = 0
  for (const [end, kind] of BLOCKS) {
    table.fill(kind, start, end)
    start = end
  }
  table.fill(KIND.digit, 0x30, 0x3a)
  table.fill(KIND.upper, 0x41, 0x5b)
  table.fill(KIND.lower, 0x61, 0x7b)
  for (const code of [0x09, 0x0b, 0x0c, 0x20]) table[code] = KIND.blank
  for (const code of [0x0a, 0x0d]) table[code] = KIND.line
  return table
}

export function kindOf(code: number): number {
  return KINDS[code] ?? KIND.symbol
}
