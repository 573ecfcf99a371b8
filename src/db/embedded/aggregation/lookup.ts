import { compileExpression } from '../expressions/compile.ts'
import { frameOf } from '../expressions/frame.ts'
import type { Expression } from '../expressions/frame.ts'
import { checkVariableName } from '../expressions/logic.ts'
import type { Pipeline, StageEnv } from './stage.ts'
import { joinFilter, prefilter } from './join.ts'
import { withValue } from './with-value.ts'
import { CommandError } from '../errors/command-error.ts'
import { asDoc, fieldOf, setField, typeOf } from '../bson/compare.ts'
import type { Doc, Scope, Value } from '../bson/compare.ts'

const lookupParts = new Set(['from', 'as', 'localField', 'foreignField', 'let', 'pipeline'])

/** `$lookup` by equal fields, by a pipeline with `let`, or both; the store finds the other documents, so its indexes serve. */
export function lookup(argument: Value, env: StageEnv): Pipeline {
  const spec = asDoc(argument)
  if (!spec)
    throw new CommandError(
      'FailedToParse',
      `the $lookup stage specification must be an object, but found ${typeOf(argument)}`,
    )
  const { from, as } = { from: textFor(spec, 'from'), as: textFor(spec, 'as') }
  const unknown = Object.keys(spec).find((name) => !lookupParts.has(name))
  if (unknown !== undefined) throw new CommandError('FailedToParse', `unknown argument to $lookup: ${unknown}`)
  const join = joinOf(spec)
  const inner = innerPipeline(spec, env)
  const path = as.split('.')
  const into = (doc: Doc, found: Doc[]) => withValue(doc, path, found)
  return function* (input) {
    for (const doc of input) {
      const joined = join ? joinFilter(doc, join) : {}
      yield into(doc, inner ? inner(doc, from, joined) : [...env.find(from, joined)])
    }
  }
}

function textFor(spec: Doc, name: string): string {
  const value = fieldOf(spec, name)
  if (typeof value === 'string' && value !== '') return value
  throw new CommandError('FailedToParse', `$lookup argument '${name}' must be a string, is type ${typeOf(value)}`)
}

function joinOf(spec: Doc): { local: string; foreign: string } | undefined {
  const given = ['localField', 'foreignField'].filter((name) => Object.hasOwn(spec, name))
  if (given.length === 1)
    throw new CommandError(
      'FailedToParse',
      '$lookup requires both or neither of localField and foreignField to be specified',
    )
  if (given.length === 2) return { local: textFor(spec, 'localField'), foreign: textFor(spec, 'foreignField') }
  if (!Object.hasOwn(spec, 'pipeline')) {
    throw new CommandError(
      'FailedToParse',
      "$lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be specified",
    )
  }
  return undefined
}

type Inner = (doc: Doc, from: string, joined: Doc) => Doc[]

/** The pipeline of a `$lookup`, compiled once; `let` rebinds the variables of its scope for each outer document. */
function innerPipeline(spec: Doc, env: StageEnv): Inner | undefined {
  if (!Object.hasOwn(spec, 'pipeline')) {
    if (Object.hasOwn(spec, 'let'))
      throw new CommandError('FailedToParse', "$lookup with a 'let' argument must also specify 'pipeline'")
    return undefined
  }
  const stages = stagesFor(spec.pipeline, '$lookup')
  const bindings = letOf(spec, env.scope)
  const scope: Scope = {
    now: env.scope.now,
    variables: Object.fromEntries(
      [...Object.keys(env.scope.variables ?? {}), ...bindings.keys()].map((name) => [name, null]),
    ),
  }
  const run = env.compile(stages, { scope, find: (collection, filter) => env.find(collection, filter) })
  const narrow = prefilter(stages[0], scope)
  return (doc, from, joined) => {
    const frame = frameOf(doc, env.scope)
    const own = [...bindings].map(([name, expression]) => [name, expression(frame)] as const)
    scope.variables = { ...env.scope.variables, ...Object.fromEntries(own) }
    return [...run(env.find(from, narrow ? { $and: [joined, narrow()] } : joined))]
  }
}

function letOf(spec: Doc, scope: Scope): Map<string, Expression> {
  if (!Object.hasOwn(spec, 'let')) return new Map()
  const vars = asDoc(spec.let)
  if (!vars)
    throw new CommandError('FailedToParse', `$lookup argument 'let' must be an object, is type ${typeOf(spec.let)}`)
  return new Map(
    Object.keys(vars).map((name) => {
      checkVariableName(name)
      return [name, compileExpression(vars[name], scope)]
    }),
  )
}

function stagesFor(value: Value, name: string): Doc[] {
  const stages = Array.isArray(value) ? value.map(asDoc) : [undefined]
  if (stages.every((stage) => stage !== undefined)) return stages
  throw new CommandError('TypeMismatch', `the pipeline of ${name} must be an array of objects`)
}

/** `$unionWith`: the documents so far, then those of another collection. */
export function unionWith(argument: Value, env: StageEnv): Pipeline {
  const spec = typeof argument === 'string' ? { coll: argument } : asDoc(argument)
  const collection = spec && fieldOf(spec, 'coll')
  const extra = Object.keys(spec ?? {}).find((name) => name !== 'coll' && name !== 'pipeline')
  if (!spec || typeof collection !== 'string' || extra !== undefined) {
    throw new CommandError(
      'FailedToParse',
      'the $unionWith stage takes a collection name, or an object with coll and pipeline',
    )
  }
  const stages = Object.hasOwn(spec, 'pipeline') ? stagesFor(fieldOf(spec, 'pipeline'), '$unionWith') : []
  const run = env.compile(stages, env)
  const narrow = prefilter(stages[0], env.scope)
  return function* (input) {
    yield* input
    yield* run(env.find(collection, narrow ? narrow() : {}))
  }
}

/** `$facet`: several pipelines over the same documents, their results as arrays of one document. */
export function facet(argument: Value, env: StageEnv): Pipeline {
  const spec = asDoc(argument)
  if (!spec || Object.keys(spec).length === 0) {
    throw new CommandError('Location40169', 'the $facet specification must be a non-empty object')
  }
  const facets = Object.keys(spec).map((name) => {
    if (name.startsWith('$') || name.includes('.') || name === '') {
      throw new CommandError('Location16410', `FieldPath field names may not start with '$' or contain '.': ${name}`)
    }
    if (!Array.isArray(spec[name])) {
      throw new CommandError(
        'Location40170',
        `arguments to $facet must be arrays, ${name} is type ${typeOf(spec[name])}`,
      )
    }
    const stages = stagesFor(spec[name], '$facet')
    if (stages.some((stage) => Object.hasOwn(stage, '$facet'))) {
      throw new CommandError('Location40600', '$facet is not allowed to be used within a $facet stage')
    }
    return [name, env.compile(stages, env)] as const
  })
  return (input) => {
    const docs = [...input]
    const made: Doc = {}
    for (const [name, run] of facets) setField(made, name, [...run(docs)])
    return [made]
  }
}
