import { filterParts } from '../query/filter-parts.ts'
import type { FilterParts } from '../query/filter-parts.ts'
import type { Index } from '../storage/index-spec.ts'
import { successor } from '../storage/key-parts.ts'
import { encodeKey } from '../storage/keys.ts'
import { conditionBounds } from './bounds.ts'
import type { Bound } from './bounds.ts'
import { everything, intersect, invertIntervals, isWithin } from './intervals.ts'
import type { Intervals } from './intervals.ts'

/** One field of a sort. */
export type SortField = { path: string; descending: boolean }

/**
 * A range of an index: stored keys from `lo` (inclusive) to `hi` (exclusive), all with the same first `prefix` bytes.
 */
export type KeyRange = { lo: Uint8Array; hi: Uint8Array; prefix: number }

/** How an index serves a query. */
export type IndexAccess = {
  kind: 'index'
  index: Index
  ranges: readonly KeyRange[]
  /** Number of leading fields in the prefixes. */
  prefixFields: number
  /** For each field, as stored: the intervals in which its part of a key must lie. */
  checks: readonly Intervals[]
  /** True if the ranges alone do not guarantee `checks`. */
  checked: boolean
  reverse: boolean
  /**
   * `sorted`: the ranges together are in the required order. `merge`: each range is, and merging by the key parts after
   * the prefixes gives the order.
   */
  order: 'none' | 'sorted' | 'merge'
  score: number
}

type Fit = { index: Index; bounds: (readonly Bound[])[]; stored: Intervals[] }

/** From this score on, conditions of the filter bound the scan; below it, the index only gives an order. */
export const boundedScore = 50

/** How the index can serve the filter and the sort; undefined if it cannot or would not help. */
export function indexAccess(index: Index, parts: FilterParts, sort: readonly SortField[]): IndexAccess | undefined {
  if (index.partial && !impliesPartial(index, parts)) return undefined
  const fit = fitOf(index, parts)
  if (index.sparse && fit.bounds.every((bounds) => bounds.every((bound) => bound.missing))) return undefined
  const { ranges, prefixFields, ranged } = rangesOf(fit.stored)
  const { order, reverse } = orderOf(fit, prefixFields, sort)
  const constrained = fit.stored.filter((intervals) => intervals !== everything).length
  const inRange = prefixFields + (ranged ? 1 : 0)
  const bounded = inRange > 0 ? prefixFields * 100 + (ranged ? 50 : 0) + (constrained - inRange) * 5 : 0
  const score = bounded + (order !== 'none' && sort.length > 0 ? 30 : 0)
  if (score === 0) return undefined
  const checked = constrained > inRange
  return { kind: 'index', index, ranges, prefixFields, checks: fit.stored, checked, reverse, order, score }
}

/** True if at most one key can satisfy the filter. */
export function isUniqueLookup({ index, prefixFields, ranges }: IndexAccess): boolean {
  return index.unique && ranges.length === 1 && prefixFields === index.fields.length
}

function impliesPartial(index: Index, parts: FilterParts): boolean {
  const required = filterParts(index.partial?.filter ?? {})
  return required.fields.every(({ path, condition }) => {
    const bounds = parts.fields
      .filter((field) => field.path === path)
      .flatMap((field) => conditionBounds(field.condition))
    return conditionBounds(condition).every((bound) => bounds.some((one) => implies(one, bound)))
  })
}

function implies(bound: Bound, required: Bound): boolean {
  return bound.keys !== everything && isWithin(bound.keys, required.keys)
}

const missing = encodeKey(undefined)

function fitOf(index: Index, parts: FilterParts): Fit {
  let arraySeen = false
  const fit: Fit = { index, bounds: [], stored: [] }
  index.fields.forEach((field, i) => {
    const multikey = (index.multikey & (1 << i)) !== 0
    const all = parts.fields
      .filter(({ path }) => path === field.path)
      .flatMap((part) => conditionBounds(part.condition))
    // Two fields of the same array: different elements may satisfy the two conditions.
    const usable = multikey && arraySeen ? [] : all
    const keys = multikey
      ? tightest(usable)
      : withoutEmptyArray(usable.map((bound) => bound.keys).reduce(intersect, everything))
    if (multikey && keys !== everything) arraySeen = true
    fit.bounds.push(all.length > 0 ? all : [{ keys: everything, missing: true }])
    fit.stored.push(field.descending ? invertIntervals(keys) : keys)
  })
  return fit
}

/** The narrowest bound: if different array elements may satisfy the conditions, only one of them can bound the scan. */
function tightest(bounds: readonly Bound[]): Intervals {
  const lists = bounds.map((bound) => bound.keys).filter((keys) => keys !== everything)
  return lists.find((keys) => keys.every((interval) => interval.point)) ?? lists[0] ?? everything
}

/** Removes the key `undefined`, which only empty arrays have, because this field has never been an array. */
function withoutEmptyArray(keys: Intervals): Intervals {
  return keys.length === 2 ? keys.filter(({ lo, point }) => !(point && Buffer.compare(lo, missing) === 0)) : keys
}

const maxRanges = 1000

function rangesOf(stored: readonly Intervals[]): { ranges: KeyRange[]; prefixFields: number; ranged: boolean } {
  let prefixes: Uint8Array[] = [Uint8Array.of()]
  let prefixFields = 0
  for (const intervals of stored) {
    if (!intervals.every(({ point }) => point) || prefixes.length * intervals.length > maxRanges) break
    prefixes = prefixes.flatMap((prefix) => intervals.map(({ lo }) => Buffer.concat([prefix, lo])))
    prefixFields += 1
  }
  const next = stored[prefixFields] ?? everything
  if (next === everything || prefixes.length * next.length > maxRanges) {
    const ranges = prefixes.map((prefix) => rangeOf(prefix, prefix))
    return { ranges, prefixFields, ranged: false }
  }
  const ranges = prefixes.flatMap((prefix) =>
    next.map(({ lo, hi }) => {
      return { lo: Buffer.concat([prefix, lo]), hi: Buffer.concat([prefix, hi]), prefix: prefix.length }
    }),
  )
  return { ranges, prefixFields, ranged: true }
}

function rangeOf(prefix: Uint8Array, lo: Uint8Array): KeyRange {
  return { lo, hi: prefix.length > 0 ? successor(prefix) : Uint8Array.of(0xff), prefix: prefix.length }
}

type Order = Pick<IndexAccess, 'order' | 'reverse'>
const maxMerged = 200

function orderOf(fit: Fit, prefixFields: number, sort: readonly SortField[]): Order {
  const constant = fit.index.fields.map((_, i) => {
    return fit.stored[i]?.length === 1 && fit.stored[i][0]?.point === true && (fit.index.multikey & (1 << i)) === 0
  })
  const required = sort.filter(({ path }) => !fit.index.fields.some((field, i) => field.path === path && constant[i]))
  const whole = direction(fit, required, { from: 0, constant })
  if (whole !== undefined) return { order: 'sorted', reverse: whole }
  const combinations = fit.stored.slice(0, prefixFields).reduce((product, { length }) => product * length, 1)
  const merged = combinations <= maxMerged ? direction(fit, required, { from: prefixFields, constant }) : undefined
  return merged === undefined ? { order: 'none', reverse: false } : { order: 'merge', reverse: merged }
}

/** The direction in which to read the index for this order; undefined if it cannot give the order. */
function direction(
  { index }: Fit,
  sort: readonly SortField[],
  { from, constant }: { from: number; constant: readonly boolean[] },
): boolean | undefined {
  let reverse: boolean | undefined
  let at = from
  for (const { path, descending } of sort) {
    while (constant[at] && index.fields[at]?.path !== path) at += 1
    const field = index.fields[at]
    if (field?.path !== path || (index.multikey & (1 << at)) !== 0) return undefined
    const turned = field.descending !== descending
    if (reverse !== undefined && reverse !== turned) return undefined
    reverse = turned
    at += 1
  }
  return reverse ?? false
}
