import { Double, Int32 } from 'bson'
import { asDoc } from '../bson/values.ts'
import type { Doc } from '../bson/values.ts'
import { prepareQuery } from '../engine/execute.ts'
import type { PreparedQuery } from '../engine/execute.ts'
import type { IndexAccess } from '../engine/index-access.ts'
import type { Plan } from '../engine/plan.ts'
import { CommandError } from '../errors/command-error.ts'
import { pipelineQuery } from './aggregate.ts'
import { requiredDoc } from './arguments.ts'
import { findCollection } from './command.ts'
import type { Call, Command } from './command.ts'
import { distinctQuery } from './distinct.ts'
import { findQuery } from './find.ts'

/** Runs a `find`, `aggregate` or `distinct` and reports its query plan and how much it read. */
export const explain: Command = {
  kind: 'read',
  fields: ['verbosity'],
  run(call) {
    const body = requiredDoc({ name: call.name, doc: call.body }, 'explain')
    const [name = ''] = Object.keys(body)
    const { query, documents } = explained({ ...call, name, body })
    return {
      explainVersion: '1',
      queryPlanner: {
        namespace: `${call.db}.${String(body[name])}`,
        winningPlan: describePlan(query.plan, body),
        rejectedPlans: [],
      },
      executionStats: execute(query, documents),
      ok: new Double(1),
    }
  },
}

type Explained = { query: PreparedQuery; documents: Iterable<unknown> }

/** The commands that can be explained, by name. */
export const explainable: ReadonlyMap<string, (call: Call) => Explained> = new Map([
  ['find', (call: Call) => explainedQuery(call, findQuery)],
  ['distinct', (call: Call) => explainedQuery(call, distinctQuery)],
  ['aggregate', pipelineQuery],
])

function explained(call: Call): Explained {
  const explainCommand = explainable.get(call.name)
  if (explainCommand) return explainCommand(call)
  throw new CommandError('CommandNotFound', `Explain failed due to unknown command: ${call.name}`)
}

function explainedQuery(call: Call, queryOf: typeof findQuery): Explained {
  const query = prepareQuery(call.engine.connection, findCollection(call), queryOf(call))
  return { query, documents: query.rows() }
}

function execute({ examined }: PreparedQuery, documents: Iterable<unknown>): Doc {
  const started = performance.now()
  let returned = 0
  for (const _ of documents) returned += 1
  return {
    executionSuccess: true,
    nReturned: new Int32(returned),
    executionTimeMillis: new Int32(Math.round(performance.now() - started)),
    totalKeysExamined: new Int32(examined.keys),
    totalDocsExamined: new Int32(examined.docs),
  }
}

function describePlan(plan: Plan | undefined, body: Doc): Doc {
  if (!plan) return { stage: 'EOF' }
  const found = describeAccess(plan)
  return plan.sorted ? found : { stage: 'SORT', sortPattern: asDoc(body['sort']) ?? {}, inputStage: found }
}

function describeAccess({ access }: Plan): Doc {
  if (access.kind === 'rows') return { stage: 'COLLSCAN', direction: 'forward' }
  if (access.kind === 'index') return { stage: 'FETCH', inputStage: describeIndex(access) }
  const stage = access.ordered ? 'SORT_MERGE' : 'OR'
  return { stage: 'FETCH', inputStage: { stage, inputStages: access.branches.map(describeIndex) } }
}

function describeIndex({ index, reverse, ranges }: IndexAccess): Doc {
  return {
    stage: 'IXSCAN',
    keyPattern: index.key,
    indexName: index.name,
    isMultiKey: index.multikey !== 0,
    isUnique: index.unique,
    isSparse: index.sparse,
    isPartial: index.partial !== undefined,
    direction: reverse ? 'backward' : 'forward',
    ranges: new Int32(ranges.length),
  }
}
