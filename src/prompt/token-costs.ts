// What a piece of text costs in tokens: fitted tables, no code that walks text. Source of all numbers: means over
// 5 MB of code, JSON, logs, manuals and prose in eight languages, cut as o200k cuts text and counted with gpt-tokenizer
// 4.0.0 (o200k_base), November 2026. They are means: single words are off, a page is within some percent.

/** What stands directly before a word: it decides whether the vocabulary has the word as one entry. */
export const AFTER = { blank: 0, start: 1, mark: 2, letter: 3, digit: 4 } as const
export type After = (typeof AFTER)[keyof typeof AFTER]

/** Spelling of a word: `word`, `Word`, `WORD`, `WORDword`. */
export const SHAPE = { lower: 0, capital: 1, upper: 2, mixed: 3 } as const
export type Shape = (typeof SHAPE)[keyof typeof SHAPE]

/** Rows by After, in each one row by Shape: tokens of a short word, letters that are free, tokens per further letter. */
const WORDS: readonly (readonly (readonly [number, number, number])[])[] = [
  [
    [1.01, 5, 0.03],
    [1.06, 4, 0.07],
    [1, 1, 0.07],
    [1.6, 1, 0.08],
  ],
  [
    [1.09, 5, 0.08],
    [0.96, 1, 0.04],
    [0.99, 2, 0.22],
    [1.38, 1, 0.18],
  ],
  [
    [1.2, 4, 0.15],
    [1.67, 6, 0.13],
    [1.22, 1, 0.13],
    [2.56, 1, 0.05],
  ],
  [
    [1.06, 2, 0.2],
    [1.05, 7, 0.05],
    [1, 2, 0.4],
    [2.08, 1, 0.1],
  ],
  [
    [1.01, 2, 0.38],
    [1.34, 1, 0.05],
    [1, 2, 0.3],
    [2.16, 4, 0.58],
  ],
]

/** No vocabulary knows longer words: from here on every third letter is a token. */
const LONG_WORD = 16
const LONG_WORD_RATE = 0.35

/** Letters with accents make a word unlikely to be an entry of its own. */
const ACCENT_RATE = 0.35

/** Cost by After, Shape and letters up to LONG_WORD, in one flat table: this is looked up for every word. */
const COSTS: Float64Array = Float64Array.from({ length: 5 * 4 * (LONG_WORD + 1) }, (_, index) => {
  const letters = index % (LONG_WORD + 1)
  const row = Math.floor(index / (LONG_WORD + 1))
  const [base, free, rate] = WORDS[row >> 2]?.[row & 3] ?? [1, 5, 0.1]
  return base + Math.max(0, letters - free) * rate
})

export function wordCost(after: After, shape: Shape, letters: number, accents: number): number {
  const within = Math.min(letters, LONG_WORD)
  const cost = COSTS[(after * 4 + shape) * (LONG_WORD + 1) + within] ?? 1
  return cost + (letters - within) * LONG_WORD_RATE + accents * ACCENT_RATE
}

/** A run of ASCII punctuation. */
export function markCost(length: number, allSame: boolean): number {
  if (length <= 2) return 1.01
  if (allSame) return 1 + length / 24
  return length === 3 ? 1.15 : 1.5 + (length - 4) * 0.42
}

/** A run of blanks without a line break. */
export function blankCost(length: number): number {
  return length <= 80 ? 1 : length / 80
}

/** Tokens per character of scripts whose words are not cut here. Han is further down. */
export const RATE = {
  kana: 0.64,
  hangul: 0.6,
  cyrillic: 0.26,
  otherLetter: 0.5,
  mark: 1,
  symbol: 0.9,
  /** Repeated symbols (ruled lines) share tokens. */
  repeatedSymbol: 0.2,
  /** Half of a character outside the basic plane: most emoji are one to two tokens. */
  surrogate: 0.75,
} as const

/** Han by the kind of text it stands in. */
export const HAN_RATE = {
  simplified: 0.69,
  traditional: 0.88,
  japanese: 0.85,
  unknown: 0.8,
} as const

const PAIRS =
  '这這个個们們来來时時说說对對会會为為过過还還开開关關学學问問题題实實现現应應该該后後点點么麼数數据據设設变變请請输輸运運动動进進选選' +
  '项項录錄读讀写寫网網络絡务務错錯误誤显顯码碼单單无無产產组組织織给給经經类類统統从從当當发發与與门門见見长長东東车車书書电電话話'

/** 1 for common characters of simplified, 2 of traditional writing, 0 for all others; index = code unit - HAN_FIRST. */
export const HAN_FIRST = 0x4e00
export const HAN_KIND: Uint8Array = hanKinds()

function hanKinds(): Uint8Array {
  const kinds = new Uint8Array(0xa000 - HAN_FIRST)
  for (let at = 0; at < PAIRS.length; at += 1) {
    kinds[PAIRS.charCodeAt(at) - HAN_FIRST] = at % 2 === 0 ? 1 : 2
  }
  return kinds
}
