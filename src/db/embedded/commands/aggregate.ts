import { flag, optionalCount, optionalDoc, requiredDocs } from './arguments.ts'
import { compilePipeline, splitPipeline } from '../aggregation/pipeline.ts'
import { decode, encode } from '../bson/bytes.ts'
import { collectionName, findCollection } from './command.ts'
import type { Call, Command } from './command.ts'
import { CommandError } from '../errors/command-error.ts'
import { prepareQuery } from '../engine/query.ts'
import type { PreparedQuery } from '../engine/query.ts'
import { cursorReply } from './reply.ts'
import type { View } from '../engine/scan.ts'
import { sourceCheck } from '../engine/source-check.ts'
import { isNumber } from '../bson/numbers.ts'
import { asDoc } from '../bson/compare.ts'
import type { Doc } from '../bson/compare.ts'
import { hintOf, map } from './find.ts'

export const aggregate: Command = {
  kind: 'read',
  // Sorts and groups stay in memory, so allowDiskUse has no effect; there are no validators to bypass.
  fields: ['pipeline', 'cursor', 'hint', 'let', 'allowDiskUse', 'bypassDocumentValidation'],
  refused: ['collation', 'explain'],
  transactional: true,
  run(call) {
    const cursorOptions = optionalDoc({ name: call.name, doc: call.body }, 'cursor')
    if (!cursorOptions) {
      throw new CommandError(
        'FailedToParse',
        "The 'cursor' option is required, except for aggregate with the explain argument",
      )
    }
    const view = { ...call.view }
    const { query, documents } = pipelineQuery(call, view)
    const collection = findCollection(call)
    const ns = `${call.db}.${collectionName(call)}`
    const check = collection ? sourceCheck(call.engine.catalog, collection, query.plan) : () => undefined
    const transaction = call.inTransaction ? call.session : undefined
    const batchSize = optionalCount({ name: 'aggregate.cursor', doc: cursorOptions }, 'batchSize') ?? 101
    const { batch, cursor } = call.engine.cursors.start(
      { ns, view, documents, check, transaction, immortal: false },
      { batchSize, single: false },
    )
    return cursorReply({ id: cursor?.id ?? 0n, ns, batch: 'firstBatch' }, batch.documents)
  },
}

/** Plans a pipeline: what it begins with runs on indexes, the rest on decoded documents. */
export function pipelineQuery(call: Call, view: View): { query: PreparedQuery; documents: Iterable<Uint8Array> } {
  const from = { name: call.name, doc: call.body }
  if (typeof call.body.aggregate !== 'string') {
    throw new CommandError('CommandNotSupported', 'Pipelines that are not on a collection are not supported')
  }
  flag(from, 'allowDiskUse')
  const { filter = {}, sort = {}, limit = 0, rest } = splitPipeline(requiredDocs(from, 'pipeline'))
  const { scope, deadline } = call
  const query = prepareQuery(view, findCollection(call), { filter, sort, limit, hint: hintOf(call), scope, deadline })
  if (rest.length === 0) return { query, documents: map(query.rows(), ({ bytes }) => bytes) }
  const run = compilePipeline(rest, { scope, find: (name, wanted) => lookup(call, view, { name, filter: wanted }) })
  const input = map(query.rows(), isCount(rest) ? () => ({}) : ({ bytes }) => decode(bytes))
  return { query, documents: map(run(input), encode) }
}

/** True for what drivers send to count documents: nothing in them is looked at, so they need not be decoded. */
function isCount(stages: readonly Doc[]): boolean {
  const group = asDoc(stages.find((stage) => !('$skip' in stage || '$limit' in stage))?.$group)
  return group !== undefined && Object.values(group).every((field) => isNumber(asDoc(field)?.$sum ?? field))
}

function lookup(call: Call, view: View, { name, filter }: { name: string; filter: Doc }): Iterable<Doc> {
  const { scope, deadline } = call
  const { rows } = prepareQuery(view, findCollection(call, name), { filter, scope, deadline })
  return map(rows(), ({ bytes }) => decode(bytes))
}
