// The outcome of the suite as a table client × scenario. Pure.

export type Cell =
  | { readonly at: 'ok'; readonly seconds: number }
  | { readonly at: 'failed' }
  /** Failed for a cause that is known. */
  | { readonly at: 'known'; readonly cause: string }
  /** Not played: the reason. */
  | { readonly at: 'without'; readonly reason: string }

export interface Row {
  /** Name and version. */
  readonly client: string
  /** In the order of the scenarios; a single reason when nothing could be played. */
  readonly cells: readonly Cell[]
}

const MARKS: Readonly<Record<Cell['at'], string>> = {
  ok: '✓',
  failed: '✗',
  known: '✗',
  without: '–',
}

/** For the README: a table, then one line per reason that is worth knowing. */
export function markdown(
  scenarios: readonly string[],
  rows: readonly Row[],
  notRun: readonly { readonly name: string; readonly reason: string }[],
): string {
  const all = rows.flatMap(({ cells }) => cells)
  const causes = new Set(all.flatMap((cell) => (cell.at === 'known' ? [cell.cause] : [])))
  const nowhere = rows.flatMap(({ client, cells: [first, ...more] }) => {
    const isNone = first?.at === 'without' && more.every(({ at }) => at === 'without')
    return isNone ? [`${client}: ${first.reason}`] : []
  })
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [
    line(['client', ...scenarios]),
    line(['---', ...scenarios.map(() => ':-:')]),
    ...rows.map(({ client, cells }) => line([client, ...cells.map(({ at }) => MARKS[at])])),
    '',
    '✓ passes, ✗ fails, – has no part in it.',
    ...[...causes].map((cause) => `\n✗ ${cause}.`),
    ...(nowhere.length === 0 ? [] : [`\nNothing could be played: ${nowhere.join('; ')}.`]),
    ...notRun.map(({ name, reason }) => `\nNot run: ${name}: ${reason}.`),
  ].join('\n')
}
