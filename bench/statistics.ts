/** The median and the 95th percentile. */
export function percentiles(values: readonly number[]): { p50: number; p95: number } {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { p50: at(0.5), p95: at(0.95) }
}

export type Point = readonly [x: number, y: number]

/** The slope of the regression line through the logarithms (least squares). */
export function logLogSlope(points: readonly Point[]): number {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)] as const)
  const mean = (at: 0 | 1) => logs.reduce((sum, point) => sum + point[at], 0) / logs.length
  const [x, y] = [mean(0), mean(1)]
  const up = logs.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0)
  return up / logs.reduce((sum, point) => sum + (point[0] - x) ** 2, 0)
}

/** Prints rows as columns. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  for (const [first = '', ...others] of rows) {
    printLine(
      [first.padEnd(widths[0] ?? 0), ...others.map((cell, at) => cell.padStart(widths[at + 1] ?? 0))].join('  '),
    )
  }
}

/** Prints a line. */
export function printLine(line: string): void {
  process.stdout.write(`${line}\n`)
}
