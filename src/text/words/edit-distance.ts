/**
 * Returns the edit distance of two words if it is at most `limit`, otherwise a greater number than `limit`. Counts letters that are added,
 * left out, changed or swapped with the next one (optimal string alignment).
 */
export function editDistance(one: string, other: string, limit: number): number {
  const [long, short] = one.length >= other.length ? [one, other] : [other, one]
  if (long.length - short.length > limit) return limit + 1
  let from = 0
  while (from < short.length && long.charCodeAt(from) === short.charCodeAt(from)) from++
  let [longEnd, shortEnd] = [long.length, short.length]
  while (shortEnd > from && long.charCodeAt(longEnd - 1) === short.charCodeAt(shortEnd - 1)) {
    longEnd--
    shortEnd--
  }
  if (shortEnd === from) return longEnd - from
  // Only the differing middle parts are compared. They are short in similar words of any length.
  return distanceOf(long.slice(from, longEnd), short.slice(from, shortEnd), limit)
}

function distanceOf(one: string, other: string, limit: number): number {
  let twoBefore: number[] = []
  let before = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    let least = row
    for (let column = 1; column <= other.length; column++) {
      const isSame = one.charCodeAt(row - 1) === other.charCodeAt(column - 1)
      let cost = Math.min(
        (before[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (before[column - 1] as number) + (isSame ? 0 : 1),
      )
      const isSwapped =
        row > 1 &&
        column > 1 &&
        one.charCodeAt(row - 1) === other.charCodeAt(column - 2) &&
        one.charCodeAt(row - 2) === other.charCodeAt(column - 1)
      if (isSwapped) cost = Math.min(cost, (twoBefore[column - 2] as number) + 1)
      current.push(cost)
      least = Math.min(least, cost)
    }
    if (least > limit + 1) return limit + 1
    twoBefore = before
    before = current
  }
  return before[other.length] as number
}
