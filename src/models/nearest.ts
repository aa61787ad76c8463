// Names that look most like a misspelt one. Pure.

/** Longer names are cut: nobody misspells that much, and the cost grows with the square. */
const MAX_CHARS = 80

/** Up to `count` of the names, nearest first by edit distance (insert, delete, replace); ties keep their order. */
export function nearestNames(asked: string, names: readonly string[], count: number): string[] {
  const wanted = asked.toLowerCase().slice(0, MAX_CHARS)
  return names
    .map((name) => ({
      name,
      distance: editDistance(wanted, name.toLowerCase().slice(0, MAX_CHARS)),
    }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, count)
    .map((entry) => entry.name)
}

export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + Number(a[i - 1] !== b[j - 1])
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
