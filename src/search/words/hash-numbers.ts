/**
 * Assigns consecutive numbers, from 0, to hashes in the order in which they are added. A hash table with open addressing, in typed arrays.
 */
export interface HashNumbers {
  /** The hash of each number. */
  hashes: Uint32Array
  /** The slots, selected by the lower bits of a hash with linear probing: the number plus 1; 0: free. */
  places: Uint32Array
  /** The number of hashes. */
  size: number
}

const initialCapacity = 1024

/** Creates an empty table. */
export function createHashNumbers(): HashNumbers {
  return { hashes: new Uint32Array(initialCapacity), places: new Uint32Array(initialCapacity * 2), size: 0 }
}

/** True if the hash has a number. */
export function hasHash({ hashes, places }: HashNumbers, hash: number): boolean {
  const mask = places.length - 1
  for (let at = hash & mask; ; at = (at + 1) & mask) {
    const place = places[at] as number
    if (place === 0) return false
    if (hashes[place - 1] === hash) return true
  }
}

/** Returns the number of a hash; adds the hash if it is new. */
export function numberOfHash(table: HashNumbers, hash: number): number {
  const { hashes, places } = table
  const mask = places.length - 1
  let at = hash & mask
  for (;;) {
    const place = places[at] as number
    if (place === 0) break
    if (hashes[place - 1] === hash) return place - 1
    at = (at + 1) & mask
  }
  const number = table.size++
  hashes[number] = hash
  places[at] = number + 1
  if (table.size === hashes.length) grow(table)
  return number
}

/** Doubles the table. At least half of its slots are free. */
function grow(table: HashNumbers): void {
  const hashes = new Uint32Array(table.hashes.length * 2)
  hashes.set(table.hashes)
  const places = new Uint32Array(hashes.length * 2)
  const mask = places.length - 1
  for (let number = 0; number < table.size; number++) {
    let at = (hashes[number] as number) & mask
    while (places[at] !== 0) at = (at + 1) & mask
    places[at] = number + 1
  }
  table.hashes = hashes
  table.places = places
}

/** Returns the hashes in ascending order, and the number of each. */
export function sortHashes({ hashes, size }: HashNumbers): { hashes: Uint32Array; numbers: Uint32Array } {
  // A 32-bit hash and a number below 2^21 fit into a double as one integer, so the native numeric sort works.
  const order = new Float64Array(size)
  for (let number = 0; number < size; number++) order[number] = (hashes[number] as number) * size + number
  order.sort()
  const sorted = { hashes: new Uint32Array(size), numbers: new Uint32Array(size) }
  for (let at = 0; at < size; at++) {
    const number = (order[at] as number) % size
    sorted.numbers[at] = number
    sorted.hashes[at] = hashes[number] as number
  }
  return sorted
}
