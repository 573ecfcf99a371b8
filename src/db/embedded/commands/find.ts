import { rowProjection, prepareQuery } from '../engine/execute.ts'
import type { Query } from '../engine/execute.ts'
import { sourceCheck } from '../engine/source-check.ts'
import { flag, optionalCount, optionalDoc } from './arguments.ts'
import { collectionName, findCollection } from './command.ts'
import type { Call, Command } from './command.ts'
import { cursorReply } from './reply.ts'

export const find: Command = {
  kind: 'read',
  fields: ['filter', 'projection', 'sort', 'skip', 'limit', 'batchSize', 'singleBatch'],
  run(call) {
    const from = { name: call.name, doc: call.body }
    const project = rowProjection(optionalDoc(from, 'projection'))
    const collection = findCollection(call)
    const { rows } = prepareQuery(call.engine.connection, collection, findQuery(call))
    const ns = `${call.db}.${collectionName(call)}`
    const { batch, cursor } = call.engine.cursors.start(
      { ns, documents: map(rows(), project), check: sourceCheck(call.engine.catalog, collection) },
      { batchSize: optionalCount(from, 'batchSize') ?? 101, single: flag(from, 'singleBatch') },
    )
    return cursorReply({ id: cursor?.id ?? 0n, ns, batch: 'firstBatch' }, batch.documents)
  },
}

/** The query that a `find` command describes. */
export function findQuery(call: Call): Query {
  const from = { name: call.name, doc: call.body }
  return {
    filter: optionalDoc(from, 'filter') ?? {},
    sort: optionalDoc(from, 'sort') ?? {},
    skip: optionalCount(from, 'skip') ?? 0,
    limit: optionalCount(from, 'limit') ?? 0,
    deadline: call.deadline,
  }
}

/** Applies `change` lazily to each value. */
export function* map<T, U>(values: Iterable<T>, change: (value: T) => U): Generator<U> {
  for (const value of values) yield change(value)
}
