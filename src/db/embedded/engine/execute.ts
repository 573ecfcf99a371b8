import { decode, decodeFields, encode } from '../bson/bytes.ts'
import { asDoc, isTruthy } from '../bson/values.ts'
import type { Doc } from '../bson/values.ts'
import { CommandError } from '../errors/command-error.ts'
import { filterRoots, rootOf } from '../query/filter-parts.ts'
import { compileFilter } from '../query/match.ts'
import { compileProjection } from '../query/projection.ts'
import { compileSort } from '../query/sort.ts'
import type { Collection } from '../storage/catalog.ts'
import type { Row } from '../storage/records.ts'
import type { Connection } from '../storage/sqlite.ts'
import { findsById, planQuery } from './plan.ts'
import type { Plan } from './plan.ts'
import { scan } from './scan.ts'
import type { Examined } from './scan.ts'

/** A query on one collection, as used by `find`, `update`, `delete` and others. */
export type Query = {
  filter: Doc
  sort?: Doc
  skip?: number
  limit?: number
  /** The time (`Date.now()`) at which MaxTimeMSExpired is thrown. */
  deadline?: number
}

/** A planned query. `plan` is undefined if the collection does not exist, which counts as empty. */
export type PreparedQuery = { plan: Plan | undefined; examined: Examined; rows: () => Iterable<Row> }

/** Checks and plans a query. `rows` reads lazily and returns matching rows in sort order. */
export function prepareQuery(
  connection: Connection,
  collection: Collection | undefined,
  { filter, sort = {}, skip = 0, limit = 0, deadline }: Query,
): PreparedQuery {
  const matches = rowFilter(filter)
  // Compiled first, so that an invalid sort is refused even if the collection does not exist.
  const order = compileSort(sort)
  const examined = { keys: 0, docs: 0 }
  if (!collection) return { plan: undefined, examined, rows: () => [] }
  const plan = planQuery(connection, collection, { filter, sort })
  const rows = () => {
    const test = isById(filter) && findsById(plan.access) ? undefined : matches
    const found = matching(scan({ connection, collection, examined }, plan.access), test, deadline)
    const end = limit > 0 ? skip + limit : Number.POSITIVE_INFINITY
    return slice(plan.sorted ? found : sortRows(found, { sort, order, maxRows: end }), skip, end)
  }
  return { plan, examined, rows }
}

/** True for a filter on `_id` texts only: the index keys identify the matching documents exactly. */
function isById(filter: Doc): boolean {
  const [name, other] = Object.keys(filter)
  if (name !== '_id' || other !== undefined) return false
  const id = filter['_id']
  if (typeof id === 'string') return true
  const condition = asDoc(id)
  if (!condition || Object.keys(condition).length !== 1) return false
  const listed = condition['$in']
  return Array.isArray(listed) && listed.every((one) => typeof one === 'string')
}

function rowFilter(filter: Doc): ((bytes: Uint8Array) => boolean) | undefined {
  const test = compileFilter(filter)
  if (Object.keys(filter).length === 0) return undefined
  const roots = filterRoots(filter)
  return (bytes) => test(decodeFields(bytes, roots))
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

/** The error after `maxTimeMS` has expired. */
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

const maxSortBytes = 256 * 1024 * 1024

type Sorting = { sort: Doc; order: (a: Doc, b: Doc) => number; maxRows: number }
type Keyed = { row: Row; key: Doc }

function* sortRows(rows: Iterable<Row>, { sort, order, maxRows }: Sorting): Generator<Row> {
  const roots = new Set(Object.keys(sort).map(rootOf))
  const byKey = (a: Keyed, b: Keyed) => order(a.key, b.key)
  let kept: Keyed[] = []
  let size = 0
  for (const row of rows) {
    kept.push({ row, key: decodeFields(row.bytes, roots) })
    size += row.bytes.length
    // Truncates to what the limit can return, so that memory holds at most twice that.
    if (kept.length >= 2 * maxRows + 64) {
      kept = kept.sort(byKey).slice(0, maxRows)
      size = kept.reduce((sum, { row: { bytes } }) => sum + bytes.length, 0)
    }
    if (size > maxSortBytes) {
      const message = `Sort exceeded memory limit of ${maxSortBytes} bytes; add an index for this order`
      throw new CommandError('QueryExceededMemoryLimitNoDiskUseAllowed', message)
    }
  }
  for (const { row } of kept.sort(byKey)) yield row
}

/** A function that returns the bytes of a row for the reply: the stored bytes or a projection. */
export function rowProjection(spec: Doc | undefined): (row: Row) => Uint8Array {
  if (!spec || Object.keys(spec).length === 0) return ({ bytes }) => bytes
  const project = compileProjection(spec)
  const roots = keptRoots(spec)
  return ({ bytes }) => encode(project(roots ? decodeFields(bytes, roots) : decode(bytes)))
}

/** The top-level fields that a projection includes; undefined if it excludes fields. */
function keptRoots(projection: Doc): Set<string> | undefined {
  const roots = new Set(['_id'])
  for (const [path, value] of Object.entries(projection)) {
    if (path === '_id') continue
    if (!isTruthy(value)) return undefined
    roots.add(rootOf(path))
  }
  return roots.size > 1 || isTruthy(projection['_id']) ? roots : undefined
}
