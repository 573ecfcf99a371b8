import { Binary, Double } from 'bson'
import { encode } from '../bson/bytes.ts'
import type { Doc } from '../bson/values.ts'
import { compileFilter } from '../query/match.ts'
import type { Collection } from '../storage/catalog.ts'
import { flag, optionalDoc } from './arguments.ts'
import type { Command } from './command.ts'
import { cursorReply } from './reply.ts'

export const listCollections: Command = {
  kind: 'read',
  // The whole list is sent in one batch. There are no users, so `authorizedCollections` filters nothing.
  fields: ['filter', 'nameOnly', 'cursor', 'authorizedCollections'],
  run(call) {
    const from = { name: call.name, doc: call.body }
    const matches = compileFilter(optionalDoc(from, 'filter') ?? {})
    const nameOnly = flag(from, 'nameOnly')
    const documents = call.engine.catalog
      .list(call.db)
      .map(describeCollection)
      .filter((doc) => matches(doc))
      .map((doc) => encode(nameOnly ? { name: doc['name'], type: doc['type'] } : doc))
    return cursorReply({ id: 0n, ns: `${call.db}.$cmd.listCollections`, batch: 'firstBatch' }, documents)
  },
}

function describeCollection({ name, uuid, indexes }: Collection): Doc {
  const info = { readOnly: false, uuid: new Binary(uuid, Binary.SUBTYPE_UUID) }
  return { name, type: 'collection', options: {}, info, idIndex: indexes[0]?.spec ?? null }
}

export const dropDatabase: Command = {
  kind: 'write',
  fields: [],
  run(call) {
    const collections = call.engine.catalog.list(call.db)
    if (collections.length > 0) call.engine.catalog.drop(collections)
    return { ...(collections.length > 0 && { dropped: call.db }), ok: new Double(1) }
  },
}
