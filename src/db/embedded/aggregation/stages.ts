import { isNumber, toExactInteger } from '../bson/numbers.ts'
import { asDoc, isTruthy, typeOf } from '../bson/values.ts'
import type { Doc, Value } from '../bson/values.ts'
import type { CodeName } from '../errors/codes.ts'
import { CommandError } from '../errors/command-error.ts'
import { compileFilter } from '../query/match.ts'
import { compileProjection } from '../query/projection.ts'
import { compileSort } from '../query/sort.ts'
import { compileComputedFields } from './computed-fields.ts'
import { group } from './group.ts'
import { lookup } from './lookup.ts'
import { eachDoc } from './stage.ts'
import type { Pipeline, Stage, StageContext } from './stage.ts'

/** The stages of `aggregate`, by name. */
export const stages: ReadonlyMap<string, Stage> = new Map<string, Stage>([
  ['$match', match],
  ['$lookup', lookup],
  ['$project', project],
  ['$group', group],
  ['$sort', sort],
  ['$limit', limit],
])

/** Compiles one stage document with the stages that are allowed here; refuses others (40324). */
export function compileStage(stage: Doc, known: ReadonlyMap<string, Stage>, context: StageContext): Pipeline {
  const [name, second] = Object.keys(stage)
  if (name === undefined || second !== undefined) {
    throw new CommandError('Location40323', 'A pipeline stage specification object must contain exactly one field.')
  }
  const compile = known.get(name)
  if (compile) return compile(stage[name], context)
  throw new CommandError('Location40324', `Unrecognized pipeline stage name: '${name}'`)
}

/** The document argument of a stage; refuses any other type with the given code. */
export function docFor(name: string, argument: Value, code: CodeName): Doc {
  const doc = asDoc(argument)
  if (doc) return doc
  throw new CommandError(code, `the ${name} stage specification must be an object, but found ${typeOf(argument)}`)
}

function match(argument: Value): Pipeline {
  const filter = asDoc(argument)
  if (!filter) throw new CommandError('Location15959', 'the match filter must be an expression in an object')
  const matches = compileFilter(filter)
  return eachDoc((doc) => (matches(doc) ? doc : undefined))
}

/** `$project`: numbers and booleans include or exclude fields; every other value is a computed field. */
function project(argument: Value, { scope }: StageContext): Pipeline {
  const spec = docFor('$project', argument, 'Location15969')
  const entries = Object.entries(spec)
  if (entries.length === 0) {
    throw new CommandError('Location51272', 'Invalid $project: the specification must have at least one field')
  }
  const computed = entries.filter(([, value]) => !isRule(value))
  if (computed.length === 0) return eachDoc(compileProjection(spec))
  refuseExclusionBefore(entries)
  if (Object.hasOwn(spec, '_id') && !isRule(spec['_id'])) {
    throw new CommandError('CommandNotSupported', 'A computed _id in $project is not supported by this store')
  }
  // Computed fields first count as included, so that duplicate paths are refused, and are calculated afterwards.
  const keep = compileProjection(
    Object.fromEntries(entries.map(([name, value]) => [name, isRule(value) ? value : true])),
  )
  const drop = compileProjection(Object.fromEntries(computed.map(([name]) => [name, false])))
  const compute = compileComputedFields(Object.fromEntries(computed), scope, '$project')
  return eachDoc((doc) => compute(drop(keep(doc)), doc))
}

/** True if the value includes or excludes a field. */
function isRule(value: Value): boolean {
  return typeof value === 'boolean' || isNumber(value)
}

function refuseExclusionBefore(entries: readonly (readonly [string, Value])[]): void {
  const excluded = entries.findIndex(([name, value]) => name !== '_id' && isRule(value) && !isTruthy(value))
  if (excluded < 0 || entries.slice(excluded).every(([, value]) => isRule(value))) return
  throw new CommandError('Location31252', 'Cannot use an expression other than $meta in exclusion projection')
}

function sort(argument: Value): Pipeline {
  const spec = docFor('$sort', argument, 'Location15973')
  if (Object.keys(spec).length === 0) {
    throw new CommandError('Location15976', '$sort stage must have at least one sort key')
  }
  const order = compileSort(spec)
  return (input) => [...input].sort(order)
}

function limit(argument: Value): Pipeline {
  const count = isNumber(argument) ? toExactInteger(argument) : undefined
  if (count === undefined || count < 0n) {
    throw new CommandError('Location5107201', 'invalid argument to $limit stage: Expected a non-negative number')
  }
  if (count === 0n) throw new CommandError('Location15958', 'the limit must be positive')
  return function* (input) {
    let taken = 0n
    for (const doc of input) {
      yield doc
      taken += 1n
      if (taken >= count) return
    }
  }
}
