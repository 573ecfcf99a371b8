import { compileExpression } from '../expressions/compile.ts'
import { frameOf } from '../expressions/frame.ts'
import { bucket, group, sortByCount } from './group.ts'
import { facet, lookup, unionWith } from './lookup.ts'
import type { Pipeline, Stage, StageEnv } from './stage.ts'
import { unwind } from './unwind.ts'
import type { CodeName } from '../errors/command-error.ts'
import { CommandError } from '../errors/command-error.ts'
import { compileFilter } from '../query/match.ts'
import { parseAddition, parseProjection } from '../query/projection-spec.ts'
import { addPath, noFields, projectDoc } from '../query/projection-tree.ts'
import type { Fields, Mode } from '../query/projection-tree.ts'
import { compileSort } from '../query/sort.ts'
import { isNumber, toExactInteger, wholeNumber } from '../bson/numbers.ts'
import { asDoc, typeOf } from '../bson/compare.ts'
import type { Doc, Scope, Value } from '../bson/compare.ts'

const stages = new Map<string, Stage>([
  ['$match', match],
  ['$project', project],
  ['$addFields', addFields],
  ['$set', addFields],
  ['$unset', unset],
  ['$sort', sort],
  ['$limit', limit],
  ['$skip', skip],
  ['$count', count],
  ['$replaceRoot', (argument, env) => replaceRoot(docFor('$replaceRoot', argument, 'Location40229').newRoot, env)],
  ['$replaceWith', replaceRoot],
  ['$group', group],
  ['$sortByCount', sortByCount],
  ['$bucket', bucket],
  ['$unwind', unwind],
  ['$lookup', lookup],
  ['$unionWith', unionWith],
  ['$facet', facet],
])

/** Stages of MongoDB that this store does not have. */
const unsupported = new Set(
  `$bucketAuto $changeStream $collStats $currentOp $densify $documents $fill $geoNear $graphLookup $indexStats
  $listLocalSessions $listSessions $merge $out $planCacheStats $redact $sample $search $searchMeta $setWindowFields $vectorSearch`.split(
    /\s+/,
  ),
)

/** Compiles one stage document. */
export function compileStage(stage: Doc, env: StageEnv): Pipeline {
  const [name, second] = Object.keys(stage)
  if (name === undefined || second !== undefined) {
    throw new CommandError('Location40323', 'A pipeline stage specification object must contain exactly one field.')
  }
  const compile = stages.get(name)
  if (compile) return compile(stage[name], env)
  if (unsupported.has(name)) throw new CommandError('CommandNotSupported', `${name} is not supported by this store`)
  throw new CommandError('Location40324', `Unrecognized pipeline stage name: '${name}'`)
}

function docFor(name: string, argument: Value, code: CodeName): Doc {
  const doc = asDoc(argument)
  if (doc) return doc
  throw new CommandError(code, `the ${name} stage specification must be an object, but found ${typeOf(argument)}`)
}

/** A stage that turns each document into another, or drops it. */
function each(change: (doc: Doc) => Doc | undefined): Pipeline {
  return function* (input) {
    for (const doc of input) {
      const changed = change(doc)
      if (changed) yield changed
    }
  }
}

function match(argument: Value, { scope }: StageEnv): Pipeline {
  const filter = asDoc(argument)
  if (!filter) throw new CommandError('Location15959', 'the match filter must be an expression in an object')
  const matches = compileFilter(filter, scope)
  return each((doc) => (matches(doc) ? doc : undefined))
}

function projecting(fields: Fields, mode: Mode, scope: Scope): Pipeline {
  return each((doc) => projectDoc(fields, mode, frameOf(doc, scope)))
}

function project(argument: Value, { scope }: StageEnv): Pipeline {
  const spec = docFor('$project', argument, 'Location15969')
  if (Object.keys(spec).length === 0) {
    throw new CommandError(
      'Location51272',
      'Invalid $project :: caused by :: projection specification must have at least one field',
    )
  }
  const { fields, mode } = parseProjection(spec, scope)
  return projecting(fields, mode, scope)
}

function addFields(argument: Value, { scope }: StageEnv): Pipeline {
  const spec = docFor('$addFields', argument, 'Location40272')
  if (Object.keys(spec).length === 0) {
    throw new CommandError(
      'Location40177',
      'Invalid $addFields :: caused by :: specification must have at least one field',
    )
  }
  return projecting(parseAddition(spec, scope), 'add', scope)
}

function unset(argument: Value, { scope }: StageEnv): Pipeline {
  const names = Array.isArray(argument) ? argument : [argument]
  if (names.length === 0)
    throw new CommandError('Location31119', '$unset specification must be a string or an array with at least one field')
  const fields = noFields()
  for (const name of names) {
    if (typeof name !== 'string') {
      const code = Array.isArray(argument) ? 'Location31120' : 'Location31002'
      throw new CommandError(code, '$unset specification must be a string or an array containing only string values')
    }
    addPath(fields, name, 'named')
  }
  return projecting(fields, 'exclude', scope)
}

function sort(argument: Value): Pipeline {
  const spec = docFor('$sort', argument, 'Location15973')
  if (Object.keys(spec).length === 0)
    throw new CommandError('Location15976', '$sort stage must have at least one sort key')
  const order = compileSort(spec)
  return (input) => [...input].sort(order)
}

function wholeFor(name: '$limit' | '$skip', argument: Value): number {
  const whole = isNumber(argument) ? toExactInteger(argument) : undefined
  const least = name === '$limit' ? 1n : 0n
  if (whole === undefined || whole < 0n) {
    const code = name === '$limit' ? 'Location5107201' : 'Location5107200'
    throw new CommandError(code, `invalid argument to ${name} stage: Expected a non-negative number`)
  }
  if (whole < least) throw new CommandError('Location15958', 'the limit must be positive')
  return Number(whole)
}

function limit(argument: Value): Pipeline {
  const most = wholeFor('$limit', argument)
  return function* (input) {
    let taken = 0
    for (const doc of input) {
      yield doc
      if (++taken >= most) return
    }
  }
}

function skip(argument: Value): Pipeline {
  const first = wholeFor('$skip', argument)
  return function* (input) {
    let seen = 0
    for (const doc of input) if (seen++ >= first) yield doc
  }
}

function count(argument: Value): Pipeline {
  if (typeof argument !== 'string')
    throw new CommandError('Location40156', 'the count field must be a non-empty string')
  if (argument === '') throw new CommandError('Location40157', 'the count field must be a non-empty string')
  if (argument.startsWith('$')) throw new CommandError('Location40158', 'the count field cannot be a $-prefixed path')
  if (argument.includes('.')) throw new CommandError('Location40160', "the count field cannot contain '.'")
  return function* (input) {
    let total = 0
    for (const _ of input) total += 1
    if (total > 0) yield { [argument]: wholeNumber(total) }
  }
}

function replaceRoot(argument: Value, { scope }: StageEnv): Pipeline {
  const expression = compileExpression(argument, scope)
  return each((doc) => {
    const root = expression(frameOf(doc, scope))
    const made = asDoc(root)
    if (made) return made
    throw new CommandError(
      'Location40228',
      `'newRoot' expression must evaluate to an object, but resulting value was of type: ${typeOf(root)}`,
    )
  })
}
