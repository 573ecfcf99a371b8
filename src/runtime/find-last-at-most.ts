/** Returns the index of the last number that is at most `value`, or -1; `sorted` is ascending and may repeat numbers. */
export function findLastAtMost(sorted: readonly number[], value: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] as number) <= value) low = middle + 1
    else high = middle
  }
  return low - 1
}
