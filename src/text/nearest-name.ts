/**
 * The candidate that a mistyped name probably means: the one with the fewest typing errors, at most two (one in names
 * of up to four characters); null if none is that similar. Ignores case.
 */
export function nearestName(name: string, candidates: readonly string[]): string | null {
  const typed = name.toLowerCase()
  let [nearest, least] = [null as string | null, typed.length > 4 ? 2 : 1]
  for (const candidate of candidates) {
    const errors = typingErrors(typed, candidate.toLowerCase())
    if (errors > least || (errors === least && nearest !== null)) continue
    nearest = candidate
    least = errors
  }
  return nearest
}

/**
 * The optimal string alignment distance (restricted Damerau–Levenshtein): how many characters are missing, added, replaced,
 * or swapped with their neighbour.
 */
function typingErrors(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(beforeLast, j - 2) + 1 : Infinity
      row.push(Math.min(at(last, j) + 1, at(row, j - 1) + 1, replaced, swapped))
    }
    ;[beforeLast, last] = [last, row]
  }
  return at(last, b.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity
}
