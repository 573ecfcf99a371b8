import { decode, decodeFields, encode } from '../bson/bytes.ts'
import type { Collection } from '../storage/catalog.ts'
import { CommandError } from '../errors/command-error.ts'
import { filterRoots, rootOf } from '../query/filter-parts.ts'
import { compileFilter } from '../query/match.ts'
import { planQuery } from './plan.ts'
import type { Plan } from './plan.ts'
import { compileProjection } from '../query/projection.ts'
import type { Row } from '../storage/records.ts'
import { scan } from './scan.ts'
import type { Examined, View } from './scan.ts'
import { compileSort } from '../query/sort.ts'
import { asDoc } from '../bson/compare.ts'
import type { Doc, Scope, Value } from '../bson/compare.ts'

/** A query on one collection, as `find`, `update`, `delete` and the others put it. */
export type Query = {
  filter: Doc
  sort?: Doc
  skip?: number
  limit?: number
  hint?: Value
  scope: Scope
  /** The time (`Date.now()`) at which MaxTimeMSExpired is thrown. */
  deadline?: number
}

/** A query ready to run on a collection, or on one that does not exist and so is empty. */
export type PreparedQuery = { plan: Plan | undefined; examined: Examined; rows: () => Iterable<Row> }

/** Plans the query and checks it; nothing is read before `rows` is iterated. Matching rows come in the wanted order. */
export function prepareQuery(view: View, collection: Collection | undefined, query: Query): PreparedQuery {
  const matches = rowFilter(query)
  const sort = query.sort ?? {}
  // A sort that no index can give must be refused also where there is nothing to sort.
  const order = '$natural' in sort ? undefined : compileSort(sort)
  const examined = { keys: 0, docs: 0 }
  if (!collection) return { plan: undefined, examined, rows: () => [] }
  const plan = planQuery(view.connection, collection, { filter: query.filter, sort, hint: query.hint })
  const rows = () => {
    const found = matching(scan({ view, collection, examined }, plan.access), matches, query.deadline)
    const wanted = (query.limit ?? 0) > 0 ? (query.skip ?? 0) + (query.limit ?? 0) : Number.POSITIVE_INFINITY
    const sorted = plan.sorted || !order ? found : sortRows(found, { sort, order, most: wanted })
    return slice(sorted, query.skip ?? 0, wanted)
  }
  return { plan, examined, rows }
}

function rowFilter({ filter, scope }: Query): ((bytes: Uint8Array) => boolean) | undefined {
  const test = compileFilter(filter, scope)
  if (Object.keys(filter).length === 0) return undefined
  const roots = filterRoots(filter)
  return roots ? (bytes) => test(decodeFields(bytes, roots)) : (bytes) => test(decode(bytes))
}

const rowsBetweenChecks = 128

function* matching(
  rows: Iterable<Row>,
  matches: ((bytes: Uint8Array) => boolean) | undefined,
  deadline: number | undefined,
): Generator<Row> {
  let count = 0
  for (const row of rows) {
    count += 1
    if (deadline !== undefined && count % rowsBetweenChecks === 0 && Date.now() > deadline) throw timeExceeded()
    if (!matches || matches(row.bytes)) yield row
  }
}

/** The refusal when `maxTimeMS` is over. */
export function timeExceeded(): CommandError {
  return new CommandError('MaxTimeMSExpired', 'operation exceeded time limit')
}

function* slice(rows: Iterable<Row>, skip: number, end: number): Generator<Row> {
  let at = 0
  if (end === 0) return
  for (const row of rows) {
    at += 1
    if (at > skip) yield row
    if (at >= end) return
  }
}

const sortMemory = 256 * 1024 * 1024

type Sorting = { sort: Doc; order: (a: Doc, b: Doc) => number; most: number }
type Keyed = { row: Row; key: Doc }

function* sortRows(rows: Iterable<Row>, { sort, order, most }: Sorting): Generator<Row> {
  const roots = new Set(Object.keys(sort).map(rootOf))
  const byKey = (a: Keyed, b: Keyed) => order(a.key, b.key)
  let kept: Keyed[] = []
  let size = 0
  for (const row of rows) {
    kept.push({ row, key: decodeFields(row.bytes, roots) })
    size += row.bytes.length
    // Keeps what a limit can still let through, and no more than twice that.
    if (kept.length >= 2 * most + 64) {
      kept = kept.sort(byKey).slice(0, most)
      size = kept.reduce((sum, { row: { bytes } }) => sum + bytes.length, 0)
    }
    if (size > sortMemory) {
      const message = `Sort exceeded memory limit of ${sortMemory} bytes; add an index for this order`
      throw new CommandError('QueryExceededMemoryLimitNoDiskUseAllowed', message)
    }
  }
  for (const { row } of kept.sort(byKey)) yield row
}

/** Gives the bytes to answer for a row: those stored, or a projection of them; `filter` says which element a `.$` means. */
export function rowProjection(
  spec: Doc | undefined,
  scope: Scope & { filter?: Doc | undefined },
): (row: Row) => Uint8Array {
  if (!spec || Object.keys(spec).length === 0) return ({ bytes }) => bytes
  const project = compileProjection(spec, scope)
  const roots = inclusionRoots(spec)
  return ({ bytes }) => encode(project(roots ? decodeFields(bytes, roots) : decode(bytes)))
}

/** The top-level fields that a projection keeps, when it does nothing but keep plain fields. */
function inclusionRoots(projection: Doc): Set<string> | undefined {
  const roots = new Set(['_id'])
  for (const [path, value] of Object.entries(projection)) {
    if (path === '_id') continue
    const keeps = value === true || (value !== null && typeof value === 'object' && Number(value.toString()) !== 0)
    if (!keeps || asDoc(value) || Array.isArray(value) || path.includes('$')) return undefined
    roots.add(rootOf(path))
  }
  return roots.size > 1 ? roots : undefined
}
