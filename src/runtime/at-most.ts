/** Options of an `LRUCache` of at most `count` entries that, unlike `max`, do not allocate room for all of them at once. */
export function atMost(count: number): { maxSize: number; sizeCalculation: () => number } {
  return { maxSize: count, sizeCalculation: () => 1 }
}
