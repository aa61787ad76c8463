// Which of the known names a mistyped or retired one is closest to. Pure.

const pairs = (text: string): Map<string, number> => {
  const counts = new Map<string, number>()
  const clean = text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  for (let at = 0; at + 1 < clean.length; at += 1) {
    const pair = clean.slice(at, at + 2)
    counts.set(pair, (counts.get(pair) ?? 0) + 1)
  }
  return counts
}

/** Share of letter pairs two names have in common, 0 to 1. */
function likeness(a: Map<string, number>, b: Map<string, number>): number {
  let common = 0
  let total = 0
  for (const [pair, count] of a) {
    common += Math.min(count, b.get(pair) ?? 0)
    total += count
  }
  for (const count of b.values()) total += count
  return total === 0 ? 0 : (2 * common) / total
}

/** At most `count` of `names`, the most alike first; names of equal likeness keep their order. */
export function nearest(wanted: string, names: readonly string[], count: number): string[] {
  const pairsOfWanted = pairs(wanted)
  return names
    .map((name) => ({ name, likeness: likeness(pairsOfWanted, pairs(name)) }))
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, count)
    .map(({ name }) => name)
}
