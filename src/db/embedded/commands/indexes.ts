import { Double, Int32 } from 'bson'
import { encode } from '../bson/bytes.ts'
import { equalValues } from '../bson/compare.ts'
import type { Doc, Value } from '../bson/values.ts'
import { CommandError } from '../errors/command-error.ts'
import type { Collection } from '../storage/catalog.ts'
import { parseIndexSpec } from '../storage/index-spec.ts'
import type { Index } from '../storage/index-spec.ts'
import { buildIndex } from '../storage/records.ts'
import { requiredDocs } from './arguments.ts'
import { ensureCollection, findCollection } from './command.ts'
import type { Call, Command } from './command.ts'

const maxIndexes = 64

export const createIndexes: Command = {
  kind: 'write',
  fields: ['indexes'],
  run(call) {
    const specs = requiredDocs({ name: call.name, doc: call.body }, 'indexes').map(parseIndexSpec)
    if (specs.length === 0) throw new CommandError('BadValue', 'Must specify at least one index to create')
    const created = findCollection(call) === undefined
    const collection = ensureCollection(call)
    const before = collection.indexes.length
    for (const spec of specs) addIndex(call, collection, spec)
    const after = collection.indexes.length
    return {
      numIndexesBefore: new Int32(before),
      numIndexesAfter: new Int32(after),
      createdCollectionAutomatically: created,
      ...(before === after && { note: 'all indexes already exist' }),
      ok: new Double(1),
    }
  },
}

function addIndex(call: Call, collection: Collection, spec: Doc): void {
  if (collection.indexes.some((index) => isSame(index, spec))) return
  const sameName = collection.indexes.find(({ name }) => name === spec['name'])
  if (sameName) {
    const message = `An existing index has the same name as the requested index. When index names are not specified, they are auto generated and can cause conflicts. Please refer to our documentation. Requested index: ${String(spec['name'])}, existing index: ${sameName.name}`
    throw new CommandError('IndexKeySpecsConflict', message)
  }
  const sameKey = collection.indexes.find(
    ({ key, spec: other }) => isSameKey(key, spec['key']) && isSamePartial(other, spec),
  )
  if (sameKey) {
    throw new CommandError('IndexOptionsConflict', `Index already exists with a different name: ${sameKey.name}`)
  }
  if (collection.indexes.length >= maxIndexes) {
    throw new CommandError('CannotCreateIndex', `add index fails, too many indexes for ${collection.ns}`)
  }
  buildIndex(call.engine, collection, call.engine.catalog.addIndex(collection, spec))
}

function isSame(index: Index, spec: Doc): boolean {
  const { spec: known } = index
  // The index on _id always exists, whatever `unique` says.
  if (index.isId && isSameKey(index.key, spec['key'])) return true
  return isSameKey(index.key, spec['key']) && Buffer.compare(encode(sorted(known)), encode(sorted(spec))) === 0
}

function sorted(spec: Doc): Doc {
  const { key: _, ...options } = spec
  return Object.fromEntries(Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function isSameKey(a: Doc, b: Value): boolean {
  return equalValues(a, b)
}

function isSamePartial(a: Doc, b: Doc): boolean {
  return equalValues(a['partialFilterExpression'] ?? null, b['partialFilterExpression'] ?? null)
}
