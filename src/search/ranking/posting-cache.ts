/*
 * A cache of index entries by term and index unit. Units never change. Most terms of a query occur in few units, and in most languages of
 * a library in none, so the absence of a term from a unit takes one bit. The cache has two generations: when the recent one is full, the
 * earlier one is dropped.
 */

/** The cached entries of a term. */
export interface CachedTerm {
  /** The number of the first unit in `units`. */
  first: number
  /** A bit for each unit that was looked up, by its number. */
  units: Uint32Array
  /** The position of each unit's entry in `bytes`, see `entryOf`; 0 for a unit with a number below `first` that lacks the term. */
  places: Map<number, number>
  bytes: Uint8Array
  length: number
}

/** The maximum size of a generation, in bytes. */
const maxGenerationBytes = 16 * 1024 * 1024
const [bytesPerTerm, bytesPerEntry] = [400, 60]
/** The maximum number of units. Beyond it, the cache is cleared, and units get new numbers that were never used. */
const maxUnits = 1 << 16

let recent = new Map<number, CachedTerm>()
let earlier = new Map<number, CachedTerm>()
let recentBytes = 0
let unitNumbers = new Map<string, number>()
let [first, next] = [0, 0]

/** The numbers of a list of units. */
export interface UnitNumbers {
  numbers: readonly number[]
  /** The first number that is valid; differs after the cache was cleared. */
  first: number
}

/** Returns the numbers of units by their ids; `known` if it is still valid. */
export function numberUnits(known: UnitNumbers | undefined, listIds: () => readonly string[]): UnitNumbers {
  if (known?.first === first) return known
  const ids = listIds()
  if (unitNumbers.size + ids.length > maxUnits) clearCache()
  const numbers = ids.map((id) => {
    const number = unitNumbers.get(id) ?? next++
    unitNumbers.set(id, number)
    return number
  })
  return { numbers, first }
}

function clearCache(): void {
  recent = new Map()
  earlier = new Map()
  recentBytes = 0
  unitNumbers = new Map()
  first = next
}

/** Returns the cached entries of a term by its hash. */
export function cachedTerm(hash: number): CachedTerm {
  const before = recent.get(hash)
  if (before) return before
  const term = earlier.get(hash) ?? newTerm()
  earlier.delete(hash)
  recent.set(hash, term)
  countBytes(bytesPerTerm + term.units.byteLength + term.bytes.length + term.places.size * bytesPerEntry)
  return term
}

function newTerm(): CachedTerm {
  return { first, units: new Uint32Array(4), places: new Map(), bytes: new Uint8Array(64), length: 0 }
}

/** Adds to the size of the recent generation, and begins a new one if it is full. */
function countBytes(bytes: number): void {
  recentBytes += bytes
  if (recentBytes <= maxGenerationBytes) return
  earlier = recent
  recent = new Map()
  recentBytes = 0
}

/** True if the unit was looked up for the term. */
export function hasCachedUnit({ first: from, units, places }: CachedTerm, unit: number): boolean {
  const at = unit - from
  // Bits beyond the end are 0.
  return at < 0 ? places.has(unit) : ((units[at >>> 5] ?? 0) & (1 << (at & 31))) !== 0
}

const maxEntryBytes = 1 << 21

/** Returns the range of a unit's entry in the `bytes` of a term; null if the unit lacks the term. */
export function entryOf({ places }: CachedTerm, unit: number): { start: number; end: number } | null {
  const place = places.get(unit)
  if (!place) return null
  const start = Math.floor(place / maxEntryBytes)
  return { start, end: start + (place % maxEntryBytes) }
}

/** Caches the entry of a term in a unit; null if the unit lacks the term. */
export function cacheEntry(term: CachedTerm, unit: number, entry: Uint8Array | null): void {
  const at = unit - term.first
  if (at >= 0) markUnit(term, at)
  else if (entry === null) term.places.set(unit, 0)
  if (entry === null) return
  const start = term.length
  term.length += entry.length
  if (term.length > term.bytes.length) {
    const larger = new Uint8Array(Math.max(term.bytes.length * 2, term.length))
    larger.set(term.bytes)
    countBytes(larger.length - term.bytes.length)
    term.bytes = larger
  }
  term.bytes.set(entry, start)
  term.places.set(unit, start * maxEntryBytes + entry.length)
  countBytes(bytesPerEntry)
}

/** Sets the bit of a unit, which is at this index of `units`. */
function markUnit(term: CachedTerm, at: number): void {
  const word = at >>> 5
  if (word >= term.units.length) {
    const larger = new Uint32Array(Math.max(term.units.length * 2, word + 1))
    larger.set(term.units)
    countBytes(larger.byteLength - term.units.byteLength)
    term.units = larger
  }
  term.units[word] = (term.units[word] as number) | (1 << (at & 31))
}
