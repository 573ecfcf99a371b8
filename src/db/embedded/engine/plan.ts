import { isNumber, toDouble } from '../bson/numbers.ts'
import type { Doc } from '../bson/values.ts'
import { filterParts } from '../query/filter-parts.ts'
import type { FilterParts } from '../query/filter-parts.ts'
import type { Collection } from '../storage/catalog.ts'
import type { Connection } from '../storage/sqlite.ts'
import { boundedScore, indexAccess, isUniqueLookup } from './index-access.ts'
import type { IndexAccess, SortField } from './index-access.ts'

/** The source of candidates: the rows in insertion order, an index, or several branches (the union of an `$or`). */
export type Access =
  | { kind: 'rows' }
  | IndexAccess
  | { kind: 'union'; branches: IndexAccess[]; ordered: boolean; reverse: boolean; score: number }

export type Plan = { access: Access; /** True if candidates come in the wanted order. */ sorted: boolean }

export type PlanInput = { filter: Doc; sort: Doc }

const byRows: Plan = { access: { kind: 'rows' }, sorted: false }

/** Plans how to find the documents of a filter in sort order. The caller tests the filter again on each candidate. */
export function planQuery(connection: Connection, collection: Collection, input: PlanInput): Plan {
  const sort = Object.entries(input.sort).map(([path, direction]) => {
    return { path, descending: isNumber(direction) && toDouble(direction) < 0 }
  })
  const parts = filterParts(input.filter)
  const lookup = idLookup(collection, { parts, sort })
  if (lookup) return { access: lookup, sorted: true }
  const best = chooseIndex(connection, collection, { parts, sort })
  const union = chooseUnion(connection, collection, { parts, sort })
  if (union && union.score >= (best?.score ?? 0)) return { access: union, sorted: sort.length === 0 || union.ordered }
  if (!best) return { ...byRows, sorted: sort.length === 0 }
  return { access: best, sorted: sort.length === 0 || best.order !== 'none' }
}

/** The access for filters on `_id` only, the most frequent queries. It skips the comparison of indexes. */
function idLookup(collection: Collection, { parts, sort }: PlanRequest): IndexAccess | undefined {
  const [index] = collection.indexes
  if (!index || !parts.fields.some(({ path }) => path === '_id')) return undefined
  const access = indexAccess(index, parts, [])
  if (!access) return undefined
  // In this case no other index has a bound.
  const alone = parts.fields.length === 1 && parts.alternatives.length === 0 && sort.length === 0
  return isUniqueLookup(access) || (alone && access.prefixFields === 1) ? access : undefined
}

/** True if documents are looked up by complete `_id` keys. */
export function findsById(access: Access): access is IndexAccess {
  return access.kind === 'index' && access.index.isId && access.prefixFields === 1
}

type PlanRequest = { parts: FilterParts; sort: readonly SortField[] }

function chooseIndex(
  connection: Connection,
  collection: Collection,
  { parts, sort }: PlanRequest,
): IndexAccess | undefined {
  const possible = collection.indexes
    .map((index) => indexAccess(index, parts, sort))
    .filter((access) => access !== undefined)
    .sort((a, b) => b.score - a.score)
  // An index that only gives the order must be read completely, so one that bounds the scan is better.
  const bounded = possible.filter(({ score }) => score >= boundedScore)
  const candidates = bounded.length > 0 ? bounded : possible
  const [best, second] = candidates
  if (!best || !second || isUniqueLookup(best)) return best
  return cheapest(connection, collection, { candidates, sorting: sort.length > 0 })
}

const maxProbedKeys = 101

/**
 * Counts the keys of each candidate index, up to a hundred, and returns the one with the fewest; the higher score
 * breaks ties.
 */
function cheapest(
  connection: Connection,
  collection: Collection,
  { candidates, sorting }: { candidates: readonly IndexAccess[]; sorting: boolean },
): IndexAccess | undefined {
  const costs = candidates.slice(0, 4).map((access) => {
    const keys = countKeys(connection, collection, access)
    // For large results an index that gives the order is preferred, because sorting them is expensive.
    const unsorted = sorting && access.order === 'none' && keys === maxProbedKeys
    return { access, cost: keys + (unsorted ? 1 : 0) }
  })
  return costs.sort((a, b) => a.cost - b.cost || b.access.score - a.access.score)[0]?.access
}

function countKeys(connection: Connection, collection: Collection, { index, ranges }: IndexAccess): number {
  const [table, column] = index.isId ? [`c${collection.id}`, 'key'] : [`i${index.id}`, 'k']
  const sql = `SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE ${column} >= ? AND ${column} < ? LIMIT ${maxProbedKeys})`
  let keys = 0
  for (const { lo, hi } of ranges) {
    keys += connection.get<[number]>(sql, lo, hi)?.[0] ?? 0
    if (keys >= maxProbedKeys) return maxProbedKeys
  }
  return keys
}

const maxBranches = 64

/** An index for each alternative of an `$or`; undefined if one alternative has none. */
function chooseUnion(connection: Connection, collection: Collection, { parts, sort }: PlanRequest) {
  const [alternatives] = parts.alternatives
  if (!alternatives || alternatives.length > maxBranches) return undefined
  const branches: IndexAccess[] = []
  for (const alternative of alternatives) {
    const own = filterParts(alternative)
    const branch = chooseIndex(connection, collection, {
      parts: { fields: [...parts.fields, ...own.fields], alternatives: [] },
      sort,
    })
    if (!branch || branch.score < boundedScore) return undefined
    branches.push(branch)
  }
  const [first] = branches
  const reverse = first?.reverse ?? false
  const ordered = sort.length > 0 && isMergeable(branches, sort)
  return { kind: 'union', branches, ordered, reverse, score: Math.min(...branches.map(({ score }) => score)) } as const
}

/** True if branches can be merged: each is sorted, and all store the sorted fields in the same direction. */
function isMergeable(branches: readonly IndexAccess[], sort: readonly SortField[]): boolean {
  const [first] = branches
  return branches.every(
    ({ order, reverse, index, prefixFields }) =>
      order !== 'none' &&
      reverse === first?.reverse &&
      // Keys are compared after their prefixes, so the sort must start there.
      sort.every(({ path }, i) => index.fields[prefixFields + i]?.path === path),
  )
}
