// What changed between two texts, line by line: shown by a dry run, taken back by `--undo`. Pure.

export interface Hunk {
  /** First line of the change in the text before, counted from 0. */
  readonly at: number
  readonly removed: readonly string[]
  readonly added: readonly string[]
}

/** Lines with their line ends. */
export const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** Changes in order; equal lines stay outside of them. Quadratic in what lies between the first and last change. */
export function lineDiff(before: string, after: string): readonly Hunk[] {
  const [a, b] = [linesOf(before), linesOf(after)]
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1
  let tail = 0
  while (
    tail < a.length - head &&
    tail < b.length - head &&
    a[a.length - 1 - tail] === b[b.length - 1 - tail]
  ) {
    tail += 1
  }
  const [x, y] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)]
  return hunksOf(x, y, head)
}

function hunksOf(x: readonly string[], y: readonly string[], offset: number): readonly Hunk[] {
  const lengths = commonLengths(x, y)
  const common = (i: number, j: number): number => lengths[i]?.[j] ?? 0
  const hunks: Hunk[] = []
  let open: { at: number; removed: string[]; added: string[] } | undefined
  let [i, j] = [0, 0]
  while (i < x.length || j < y.length) {
    if (i < x.length && j < y.length && x[i] === y[j]) {
      open = undefined
      i += 1
      j += 1
      continue
    }
    if (open === undefined) {
      open = { at: offset + i, removed: [], added: [] }
      hunks.push(open)
    }
    if (i < x.length && (j >= y.length || common(i + 1, j) >= common(i, j + 1))) {
      open.removed.push(x[i] ?? '')
      i += 1
    } else {
      open.added.push(y[j] ?? '')
      j += 1
    }
  }
  return hunks
}

/** Length of the longest common subsequence of the rests from every pair of places. */
function commonLengths(x: readonly string[], y: readonly string[]): readonly (readonly number[])[] {
  const rows: number[][] = Array.from({ length: x.length + 1 }, () =>
    Array.from({ length: y.length + 1 }, () => 0),
  )
  for (let i = x.length - 1; i >= 0; i -= 1) {
    for (let j = y.length - 1; j >= 0; j -= 1) {
      const row = rows[i]
      if (row === undefined) continue
      row[j] =
        x[i] === y[j]
          ? 1 + (rows[i + 1]?.[j + 1] ?? 0)
          : Math.max(rows[i + 1]?.[j] ?? 0, row[j + 1] ?? 0)
    }
  }
  return rows
}

/** As `diff -u` without context. */
export function diffText(hunks: readonly Hunk[]): string {
  const shown = (mark: string, lines: readonly string[]): string =>
    lines.map((line) => `${mark}${line.replace(/\r?\n$/, '')}\n`).join('')
  return hunks
    .map(
      ({ at, removed, added }) =>
        `@@ line ${at + 1} @@\n${shown('-', removed)}${shown('+', added)}`,
    )
    .join('')
}

/**
 * The text with the changes taken back, although it changed elsewhere since. Undefined when one of the changes cannot be
 * found again in exactly one place.
 */
export function takeBack(
  text: string,
  hunks: readonly Hunk[],
  original: string,
): string | undefined {
  const before = linesOf(original)
  let lines = [...linesOf(text)]
  for (const { at, removed, added } of hunks) {
    const place = placeOf(lines, added, before[at - 1], before[at + removed.length])
    if (place === undefined) return undefined
    lines = [...lines.slice(0, place), ...removed, ...lines.slice(place + added.length)]
  }
  return lines.join('')
}

function placeOf(
  lines: readonly string[],
  wanted: readonly string[],
  above: string | undefined,
  below: string | undefined,
): number | undefined {
  const fits = (at: number): boolean => wanted.every((line, k) => lines[at + k] === line)
  const places = [...lines.keys(), lines.length].filter(fits)
  if (wanted.length > 0 && places.length === 1) return places[0]
  const near = places.filter((at) => lines[at - 1] === above && lines[at + wanted.length] === below)
  return near.length === 1 ? near[0] : undefined
}
