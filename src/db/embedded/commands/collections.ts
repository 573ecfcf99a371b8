import { Binary, Double, Int32, Long } from 'bson'
import { optionalDoc, flag } from './arguments.ts'
import { encode } from '../bson/bytes.ts'
import type { Collection } from '../storage/catalog.ts'
import { ensureCollection, findCollection } from './command.ts'
import type { Call, Command } from './command.ts'
import { compileFilter } from '../query/match.ts'
import { cursorReply } from './reply.ts'
import type { Doc } from '../bson/compare.ts'

export const create: Command = {
  kind: 'write',
  fields: ['idIndex'],
  refused: ['capped', 'size', 'max', 'timeseries', 'expireAfterSeconds', 'clusteredIndex', 'viewOn', 'pipeline'].concat(
    ['validator', 'validationLevel', 'validationAction', 'storageEngine', 'indexOptionDefaults', 'collation'],
    ['changeStreamPreAndPostImages', 'encryptedFields'],
  ),
  run(call) {
    // Making a collection again with the same (no) options succeeds, as in MongoDB.
    ensureCollection(call)
    return { ok: new Double(1) }
  },
}

export const drop: Command = {
  kind: 'write',
  fields: [],
  run(call) {
    const collection = findCollection(call)
    if (!collection) return { ok: new Double(1) }
    const was = { nIndexesWas: new Int32(collection.indexes.length), ns: collection.ns }
    call.engine.catalog.drop(collection)
    return { ...was, ok: new Double(1) }
  },
}

export const listCollections: Command = {
  kind: 'read',
  fields: ['filter', 'nameOnly', 'authorizedCollections', 'cursor'],
  run(call) {
    const from = { name: call.name, doc: call.body }
    const matches = compileFilter(optionalDoc(from, 'filter') ?? {}, call.scope)
    const nameOnly = flag(from, 'nameOnly')
    const documents = visible(call)
      .map(describeCollection)
      .filter((doc) => matches(doc))
      .map((doc) => encode(nameOnly ? { name: doc.name, type: doc.type } : doc))
    return cursorReply({ id: 0n, ns: `${call.db}.$cmd.listCollections`, batch: 'firstBatch' }, documents)
  },
}

function visible(call: Call): Collection[] {
  return call.engine.catalog.list(call.db).filter(({ uncommitted }) => !uncommitted || call.inTransaction)
}

function describeCollection({ name, uuid, indexes }: Collection): Doc {
  const info = { readOnly: false, uuid: new Binary(uuid, Binary.SUBTYPE_UUID) }
  return { name, type: 'collection', options: {}, info, idIndex: indexes[0]?.spec ?? null }
}

export const listDatabases: Command = {
  kind: 'read',
  fields: ['filter', 'nameOnly', 'authorizedDatabases'],
  run(call) {
    const from = { name: call.name, doc: call.body }
    const matches = compileFilter(optionalDoc(from, 'filter') ?? {}, call.scope)
    const names = [...new Set(call.engine.catalog.list().map(({ db }) => db))].sort()
    const described = names.map((name) => ({ name, sizeOnDisk: Long.fromNumber(sizeOf(call, name)), empty: false }))
    const databases = described.filter((doc) => matches(doc))
    if (flag(from, 'nameOnly')) return { databases: databases.map(({ name }) => ({ name })), ok: new Double(1) }
    const totalSize = databases.reduce((sum, { sizeOnDisk }) => sum + sizeOnDisk.toNumber(), 0)
    return { databases, totalSize: Long.fromNumber(totalSize), ok: new Double(1) }
  },
}

/** All databases are in one file; its size is divided by the number of collections. */
function sizeOf({ engine, view }: Call, db: string): number {
  const [pages] = view.connection.get<[number]>('PRAGMA page_count') ?? [0]
  const [pageSize] = view.connection.get<[number]>('PRAGMA page_size') ?? [0]
  const share = engine.catalog.list(db).length / Math.max(1, engine.catalog.list().length)
  return Math.round(pages * pageSize * share)
}

export const dropDatabase: Command = {
  kind: 'write',
  fields: [],
  run(call) {
    const collections = call.engine.catalog.list(call.db)
    for (const collection of collections) call.engine.catalog.drop(collection)
    return { ...(collections.length > 0 && { dropped: call.db }), ok: new Double(1) }
  },
}

export const dbStats: Command = {
  kind: 'read',
  fields: ['scale', 'freeStorage'],
  run(call) {
    const collections = visible(call)
    const totals = collections.map(({ id }) => {
      const sql = `SELECT count(*), coalesce(sum(length(doc)), 0) FROM c${id}`
      return call.view.connection.get<[number, number]>(sql) ?? ([0, 0] as const)
    })
    const objects = totals.reduce((sum, [count]) => sum + count, 0)
    const dataSize = totals.reduce((sum, [, size]) => sum + size, 0)
    return {
      db: call.db,
      collections: Long.fromNumber(collections.length),
      views: Long.fromNumber(0),
      objects: Long.fromNumber(objects),
      avgObjSize: new Double(objects > 0 ? dataSize / objects : 0),
      dataSize: new Double(dataSize),
      storageSize: new Double(sizeOf(call, call.db)),
      indexes: Long.fromNumber(collections.reduce((sum, { indexes }) => sum + indexes.length, 0)),
      scaleFactor: Long.fromNumber(1),
      ok: new Double(1),
    }
  },
}
