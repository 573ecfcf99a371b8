import { isNumber, toExactInteger } from '../bson/numbers.ts'
import { asDoc } from '../bson/values.ts'
import type { Doc, Value } from '../bson/values.ts'
import type { Pipeline, StageContext } from './stage.ts'
import { compileStage, stages as known } from './stages.ts'

/** Compiles an aggregation pipeline; refuses unsupported stages (40324). */
export function compilePipeline(stages: readonly Doc[], context: StageContext): Pipeline {
  const compiled = stages.map((stage) => compileStage(stage, known, context))
  return (input) => compiled.reduce((documents, stage) => stage(documents), input)
}

/** Splits off the part that indexes can answer: leading `$match` stages, then a `$sort`, then a `$limit`. */
export function splitPipeline(stages: readonly Doc[]): { filter?: Doc; sort?: Doc; limit?: number; rest: Doc[] } {
  const rest = [...stages]
  const filters: Doc[] = []
  for (let filter = leading(rest, '$match'); filter; filter = leading(rest, '$match')) filters.push(filter)
  const [first] = filters
  const filter = filters.length > 1 ? { $and: filters } : first
  const sort = leading(rest, '$sort')
  const limit = leadingLimit(rest)
  return { ...(filter && { filter }), ...(sort && { sort }), ...(limit !== undefined && { limit }), rest }
}

function leading(rest: Doc[], name: string): Doc | undefined {
  const doc = asDoc(argumentOf(rest[0], name))
  if (!doc || (name === '$sort' && Object.keys(doc).length === 0)) return undefined
  rest.shift()
  return doc
}

function leadingLimit(rest: Doc[]): number | undefined {
  const argument = argumentOf(rest[0], '$limit')
  const limit = isNumber(argument) ? toExactInteger(argument) : undefined
  if (limit === undefined || limit <= 0n || limit > BigInt(Number.MAX_SAFE_INTEGER)) return undefined
  rest.shift()
  return Number(limit)
}

function argumentOf(stage: Doc | undefined, name: string): Value {
  return stage && Object.keys(stage).length === 1 ? stage[name] : undefined
}
