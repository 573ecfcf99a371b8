import { asBuffer } from '../bson/bytes.ts'
import type { Collection } from '../storage/catalog.ts'
import { rowidOf } from '../storage/index-keys.ts'
import { rowById, rowByKey } from '../storage/records.ts'
import type { Row } from '../storage/records.ts'
import type { Connection } from '../storage/sqlite.ts'
import type { IndexAccess, KeyRange } from './index-access.ts'
import { keyCheck } from './key-checks.ts'
import { findsById } from './plan.ts'
import type { Access } from './plan.ts'

/** What a scan has read, as reported by `explain`. */
export type Examined = { keys: number; docs: number }

export type ScanInput = { connection: Connection; collection: Collection; examined: Examined }

/** A candidate by its key; `order` holds the bytes to merge by. */
type Entry = { rowid: number; order: Buffer }

/**
 * Yields the candidates of an access without duplicates. Reads in small steps, so documents may change between two
 * steps.
 */
export function* scan(input: ScanInput, access: Access): Generator<Row> {
  if (access.kind === 'rows') {
    yield* scanRows(input)
    return
  }
  if (findsById(access)) {
    yield* scanIds(input, access)
    return
  }
  const seen = canRepeat(access) ? new Set<number>() : undefined
  for (const { rowid } of entries(input, access)) {
    if (seen?.has(rowid)) continue
    seen?.add(rowid)
    const bytes = rowById(input.connection, input.collection, rowid)
    if (!bytes) continue
    input.examined.docs += 1
    yield { rowid, bytes }
  }
}

/** Yields documents by their `_id`s directly, without a lookup of row ids. */
function* scanIds({ connection, collection, examined }: ScanInput, { ranges, reverse }: IndexAccess): Generator<Row> {
  for (const { lo } of reverse ? ranges.toReversed() : ranges) {
    const row = rowByKey(connection, collection, lo)
    if (!row) continue
    examined.keys += 1
    examined.docs += 1
    yield row
  }
}

function canRepeat(access: Exclude<Access, { kind: 'rows' }>): boolean {
  return access.kind === 'union' || access.index.multikey !== 0
}

/**
 * With `LIMIT ?`, SQLite prepares the statement again whenever the limit differs from the last one. The unary plus
 * prevents that.
 */
const limitClause = 'LIMIT +?'

const firstRows = 16
const stepBytes = 1 << 20

/** Yields all documents in insertion order. */
function* scanRows({ connection, collection, examined }: ScanInput): Generator<Row> {
  const sql = `SELECT rid, doc FROM c${collection.id} WHERE rid > ? ORDER BY rid ${limitClause}`
  let last = 0
  let step = firstRows
  for (;;) {
    const rows = connection.all<[number, Uint8Array]>(sql, last, step)
    let size = 1
    for (const [rowid, bytes] of rows) {
      last = rowid
      size += bytes.length
      examined.docs += 1
      yield { rowid, bytes }
    }
    if (rows.length < step) return
    // Reads about one megabyte per step, whatever the size of the documents.
    step = Math.max(1, Math.min(step * 4, 1024, Math.floor((stepBytes * rows.length) / size)))
  }
}

function entries(input: ScanInput, access: Exclude<Access, { kind: 'rows' }>): Iterable<Entry> {
  if (access.kind === 'union') {
    const branches = access.branches.map((branch) => entries(input, branch))
    return access.ordered ? merge(branches, access.reverse) : concat(branches)
  }
  const ranges = access.reverse ? access.ranges.toReversed() : access.ranges
  const streams = ranges.map((range) => scanRange(input, access, range))
  return access.order === 'merge' && streams.length > 1 ? merge(streams, access.reverse) : concat(streams)
}

function* concat(streams: readonly Iterable<Entry>[]): Generator<Entry> {
  for (const stream of streams) yield* stream
}

/** Merges sorted streams. There are few, so a linear search finds the next one. */
function* merge(streams: readonly Iterable<Entry>[], reverse: boolean): Generator<Entry> {
  const sign = reverse ? -1 : 1
  const heads: { entry: Entry; rest: Iterator<Entry> }[] = []
  for (const stream of streams) {
    const rest = stream[Symbol.iterator]()
    const head = rest.next()
    if (!head.done) heads.push({ entry: head.value, rest })
  }
  while (heads.length > 0) {
    const first = heads.reduce((a, b) => (sign * Buffer.compare(b.entry.order, a.entry.order) < 0 ? b : a))
    yield first.entry
    const next = first.rest.next()
    if (next.done) heads.splice(heads.indexOf(first), 1)
    else first.entry = next.value
  }
}

const firstKeys = 16
const keysAfterSeek = 4
const maxKeys = 512

/** Reads the keys of one range in steps. A key that cannot match may skip ahead to the next possible match. */
function* scanRange(input: ScanInput, access: IndexAccess, range: KeyRange): Generator<Entry> {
  const { reverse } = access
  const read = keyReader(input, access)
  const check = access.checked ? keyCheck(access) : undefined
  let { lo, hi }: { lo: Uint8Array; hi: Uint8Array } = range
  let step = firstKeys
  for (;;) {
    const keys = read({ lo, hi }, step)
    let seek: Uint8Array | undefined
    for (const { key, rowid } of keys) {
      // After a seek, the remaining keys of this step may still precede its target.
      if (seek && (reverse ? Buffer.compare(key, seek) >= 0 : Buffer.compare(key, seek) < 0)) continue
      input.examined.keys += 1
      const verdict = check ? check(key, range.prefix) : 'match'
      if (verdict === 'match') {
        seek = undefined
        yield { rowid, order: key.subarray(range.prefix) }
      } else {
        seek = verdict.seek
      }
    }
    const last = keys.at(-1)?.key
    if (!last || keys.length < step) return
    const next = seek ?? (reverse ? last : Buffer.concat([last, Buffer.of(0)]))
    if (reverse) hi = next
    else lo = next
    if (Buffer.compare(lo, hi) >= 0) return
    step = seek ? keysAfterSeek : Math.min(step * 4, maxKeys)
  }
}

type Key = { key: Buffer; rowid: number }

function keyReader({ connection, collection }: ScanInput, { index, reverse }: IndexAccess) {
  const [columns, table, key] = index.isId ? ['key, rid', `c${collection.id}`, 'key'] : ['k', `i${index.id}`, 'k']
  const order = reverse ? 'DESC' : 'ASC'
  const sql = `SELECT ${columns} FROM ${table} WHERE ${key} >= ? AND ${key} < ? ORDER BY ${key} ${order} ${limitClause}`
  return ({ lo, hi }: { lo: Uint8Array; hi: Uint8Array }, step: number): Key[] =>
    connection.all<[Uint8Array, number?]>(sql, lo, hi, step).map(([bytes, rowid]) => {
      const stored = asBuffer(bytes)
      return { key: stored, rowid: rowid ?? rowidOf(stored) }
    })
}
