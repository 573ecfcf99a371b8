import { compilePipeline, splitPipeline } from '../aggregation/pipeline.ts'
import { decode, encode } from '../bson/bytes.ts'
import { isNumber } from '../bson/numbers.ts'
import { asDoc } from '../bson/values.ts'
import type { Doc } from '../bson/values.ts'
import { prepareQuery } from '../engine/execute.ts'
import type { PreparedQuery } from '../engine/execute.ts'
import { sourceCheck } from '../engine/source-check.ts'
import { CommandError } from '../errors/command-error.ts'
import { optionalCount, optionalDoc, requiredDocs } from './arguments.ts'
import { collectionName, findCollection } from './command.ts'
import type { Call, Command } from './command.ts'
import { map } from './find.ts'
import { cursorReply } from './reply.ts'

export const aggregate: Command = {
  kind: 'read',
  fields: ['pipeline', 'cursor'],
  run(call) {
    const cursorOptions = optionalDoc({ name: call.name, doc: call.body }, 'cursor')
    if (!cursorOptions) throw new CommandError('FailedToParse', "The 'cursor' option is required")
    const { documents } = pipelineQuery(call)
    const ns = `${call.db}.${collectionName(call)}`
    const batchSize = optionalCount({ name: 'aggregate.cursor', doc: cursorOptions }, 'batchSize') ?? 101
    const { batch, cursor } = call.engine.cursors.start(
      { ns, documents, check: sourceCheck(call.engine.catalog, findCollection(call)) },
      { batchSize, single: false },
    )
    return cursorReply({ id: cursor?.id ?? 0n, ns, batch: 'firstBatch' }, batch.documents)
  },
}

/** Plans a pipeline: its first stages run on indexes, the rest on decoded documents. */
export function pipelineQuery(call: Call): { query: PreparedQuery; documents: Iterable<Uint8Array> } {
  if (typeof call.body['aggregate'] !== 'string') {
    throw new CommandError('CommandNotSupported', 'Pipelines that are not on a collection are not supported')
  }
  const stages = requiredDocs({ name: call.name, doc: call.body }, 'pipeline')
  const { rest, ...first } = splitPipeline(stages)
  const query = prepareQuery(call.engine.connection, findCollection(call), {
    filter: {},
    ...first,
    deadline: call.deadline,
  })
  if (rest.length === 0) return { query, documents: map(query.rows(), ({ bytes }) => bytes) }
  const run = compilePipeline(rest, { scope: call.scope, find: (name, filter) => findAll(call, name, filter) })
  const input = map(query.rows(), isCount(rest) ? () => ({}) : ({ bytes }) => decode(bytes))
  return { query, documents: map(run(input), encode) }
}

/** True for the stage that drivers send to count documents; it needs no decoded documents. */
function isCount([stage]: readonly Doc[]): boolean {
  const group = asDoc(stage?.['$group'])
  return group !== undefined && Object.values(group).every((field) => isNumber(asDoc(field)?.['$sum'] ?? field))
}

function findAll(call: Call, name: string, filter: Doc): Iterable<Doc> {
  const { rows } = prepareQuery(call.engine.connection, findCollection(call, name), { filter, deadline: call.deadline })
  return map(rows(), ({ bytes }) => decode(bytes))
}
