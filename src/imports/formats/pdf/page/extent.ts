/** The horizontal extent of a text area, in points. */
export interface Extent {
  x0: number
  x1: number
}

/** The smallest extent that contains all items. */
export function extentOf(items: readonly Extent[]): Extent {
  const extent = { x0: Infinity, x1: -Infinity }
  for (const { x0, x1 } of items) {
    extent.x0 = Math.min(extent.x0, x0)
    extent.x1 = Math.max(extent.x1, x1)
  }
  return extent
}

/** The median; 0 for an empty list. */
export function median(values: readonly number[]): number {
  // Typed arrays are sorted as numbers without a call for each pair.
  return new Float64Array(values).sort()[values.length >> 1] ?? 0
}
