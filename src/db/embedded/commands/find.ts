import { flag, optionalCount, optionalDoc } from './arguments.ts'
import { collectionName, findCollection } from './command.ts'
import type { Call, Command } from './command.ts'
import { CommandError } from '../errors/command-error.ts'
import { prepareQuery, rowProjection } from '../engine/query.ts'
import type { Query } from '../engine/query.ts'
import { cursorReply } from './reply.ts'
import { sourceCheck } from '../engine/source-check.ts'

export const find: Command = {
  kind: 'read',
  fields: ['filter', 'sort', 'projection', 'hint', 'skip', 'limit', 'batchSize', 'singleBatch', 'let'].concat(
    'noCursorTimeout',
    // Have no effect in MongoDB either when there is one server and sorts stay in memory.
    ['allowDiskUse', 'allowPartialResults', 'oplogReplay'],
  ),
  refused: ['tailable', 'awaitData', 'returnKey', 'showRecordId', 'min', 'max', 'collation'],
  transactional: true,
  run(call) {
    const from = { name: call.name, doc: call.body }
    const project = rowProjection(optionalDoc(from, 'projection'), {
      ...call.scope,
      filter: optionalDoc(from, 'filter'),
    })
    const collection = findCollection(call)
    const view = { ...call.view }
    const { plan, rows } = prepareQuery(view, collection, findQuery(call))
    const ns = `${call.db}.${collectionName(call)}`
    const documents = map(rows(), project)
    const check = collection ? sourceCheck(call.engine.catalog, collection, plan) : () => undefined
    const transaction = call.inTransaction ? call.session : undefined
    const { batch, cursor } = call.engine.cursors.start(
      { ns, view, documents, check, transaction, immortal: flag(from, 'noCursorTimeout') },
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
    hint: hintOf(call),
    scope: call.scope,
    ...(call.deadline !== undefined && { deadline: call.deadline }),
  }
}

/** The `hint` of a command: an index name or a key pattern. */
export function hintOf({ body }: Pick<Call, 'body'>) {
  const hint = body.hint
  if (hint === undefined || hint === null) return undefined
  if (typeof hint === 'string' || typeof hint === 'object') return hint
  throw new CommandError('FailedToParse', 'Hint must be a string or an object')
}

/** Applies `change` to each value as it is asked for. */
export function* map<T, U>(values: Iterable<T>, change: (value: T) => U): Generator<U> {
  for (const value of values) yield change(value)
}
