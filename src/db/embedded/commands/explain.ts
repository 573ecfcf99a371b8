import { Double, Int32 } from 'bson'
import { requiredDoc } from './arguments.ts'
import { findCollection } from './command.ts'
import type { Call, Command } from './command.ts'
import { CommandError } from '../errors/command-error.ts'
import type { IndexAccess } from '../engine/plan-index.ts'
import type { Plan } from '../engine/plan.ts'
import { prepareQuery } from '../engine/query.ts'
import type { PreparedQuery, Query } from '../engine/query.ts'
import { statementsOf } from './statements.ts'
import { asDoc } from '../bson/compare.ts'
import type { Doc, Value } from '../bson/compare.ts'
import { pipelineQuery } from './aggregate.ts'
import { countQuery, distinctQuery } from './count.ts'
import { findQuery, hintOf } from './find.ts'

/** Tells how a command finds its documents and, unless asked for `queryPlanner` only, how much that reads. */
export const explain: Command = {
  kind: 'read',
  fields: ['verbosity'],
  run(call) {
    const body = requiredDoc({ name: call.name, doc: call.body }, 'explain')
    const [name = ''] = Object.keys(body)
    const inner = { ...call, name, body }
    const { query, documents } = explained(inner)
    const verbosity = call.body.verbosity ?? 'allPlansExecution'
    return {
      explainVersion: '1',
      queryPlanner: {
        namespace: `${call.db}.${String(body[name])}`,
        winningPlan: describePlan(query.plan, body),
        rejectedPlans: [],
      },
      ...(verbosity !== 'queryPlanner' && { executionStats: execute(query, documents) }),
      serverInfo: { version: '7.0.0' },
      ok: new Double(1),
    }
  },
}

function explained(call: Call): { query: PreparedQuery; documents: Iterable<unknown> } {
  if (call.name === 'aggregate') return pipelineQuery(call, { ...call.view })
  const query = prepareQuery({ ...call.view }, findCollection(call), queryOf(call))
  return { query, documents: query.rows() }
}

function queryOf(call: Call): Query {
  const { scope } = call
  switch (call.name) {
    case 'find':
      return findQuery(call)
    case 'count':
      return countQuery(call)
    case 'distinct':
      return distinctQuery(call)
    case 'findAndModify':
    case 'findandmodify':
      return { filter: docOf(call.body.query), sort: docOf(call.body.sort), limit: 1, hint: hintOf(call), scope }
    case 'update':
    case 'delete': {
      const [statement = {}] = statementsOf(call, call.name === 'update' ? 'updates' : 'deletes')
      const limit = statement.multi === true || Number(statement.limit ?? 1) === 0 ? 0 : 1
      return { filter: docOf(statement.q), limit, hint: hintOf({ body: statement }), scope }
    }
    default:
      throw new CommandError('CommandNotFound', `Explain failed due to unknown command: ${call.name}`)
  }
}

function docOf(value: Value): Doc {
  return asDoc(value) ?? {}
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
  return plan.sorted ? found : { stage: 'SORT', sortPattern: docOf(body.sort), inputStage: found }
}

function describeAccess({ access }: Plan): Doc {
  if (access.kind === 'rows') return { stage: 'COLLSCAN', direction: access.reverse ? 'backward' : 'forward' }
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
