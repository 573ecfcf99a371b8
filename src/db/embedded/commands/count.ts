import { Double } from 'bson'
import { wholeNumber } from '../bson/numbers.ts'
import { findCollection } from './command.ts'
import type { Command } from './command.ts'

/** Counts the documents of the whole collection; a filtered count is an aggregation. */
export const count: Command = {
  kind: 'read',
  fields: [],
  run(call) {
    const collection = findCollection(call)
    const counted = collection && call.engine.connection.get<[number]>(`SELECT count(*) FROM c${collection.id}`)
    return { n: wholeNumber(counted?.[0] ?? 0), ok: new Double(1) }
  },
}
