// The outcome of the suite as a table client × scenario. Pure.
import { knownFault } from './known-faults.ts'

export type Cell =
  | { readonly at: 'ok'; readonly seconds: number }
  | { readonly at: 'failed' }
  /** Failed for a cause that is known. */
  | { readonly at: 'known'; readonly cause: string }
  /** Not played: the reason. */
  | { readonly at: 'without'; readonly reason: string }

export interface Row {
  /** Name of the client, and of its version. */
  readonly name: string
  readonly version: string
  /** In the order of the scenarios. */
  readonly marks: readonly string[]
  /** Why nothing could be played with it. */
  readonly nothing: string | undefined
}

const MARKS: Readonly<Record<Cell['at'], string>> = {
  ok: '✓',
  failed: '✗',
  known: '✗',
  without: '–',
}
const LEGEND = '✓ passes, ✗ fails, – has no part in it.'

export function rowOf(name: string, version: string, cells: readonly Cell[]): Row {
  const [first] = cells
  const isNothing = first?.at === 'without' && cells.every(({ at }) => at === 'without')
  return {
    name,
    version,
    marks: cells.map(({ at }) => MARKS[at]),
    nothing: isNothing ? first.reason : undefined,
  }
}

export interface NotRun {
  readonly name: string
  readonly reason: string
}

/** For the README: a table, then a line for everything that needs one. */
export function markdown(
  scenarios: readonly string[],
  rows: readonly Row[],
  notRun: readonly NotRun[],
): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const causes = rows.flatMap(({ name, marks }) =>
    marks.flatMap((mark, at) => {
      const cause = mark === '✗' ? knownFault(name, scenarios[at] ?? '') : undefined
      return cause === undefined ? [] : [cause]
    }),
  )
  const nothing = rows.flatMap((row) =>
    row.nothing === undefined ? [] : [`- ${row.name} ${row.version}: ${row.nothing}`],
  )
  return [
    line(['client', ...scenarios]),
    line(['---', ...scenarios.map(() => ':-:')]),
    ...rows.map(({ name, version, marks }) => line([`${name} ${version}`, ...marks])),
    '',
    LEGEND,
    '',
    ...[...new Set(causes)].map((cause) => `- ✗ ${cause}`),
    ...nothing,
    ...notRun.map(({ name, reason }) => `- ${name}: not run, ${reason}`),
  ].join('\n')
}

/** Rows of an earlier table; none when its scenarios are others. */
export function rowsIn(text: string, scenarios: readonly string[]): readonly Row[] {
  const lines = text.split('\n')
  const [head, , ...rows] = lines.filter((line) => line.startsWith('|')).map(cellsOf)
  if (head === undefined || head.slice(1).join('|') !== scenarios.join('|')) return []
  return rows.map(([title = '', ...marks]) => {
    const version = /\S+$/.exec(title)?.[0] ?? ''
    const nothing = lines.find((line) => line.startsWith(`- ${title}: `))?.slice(title.length + 4)
    return { name: title.slice(0, -version.length).trim(), version, marks, nothing }
  })
}

export const cellsOf = (line: string): readonly string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
