import { Int32 } from 'bson'
import { accumulators, checkCount } from './accumulators.ts'
import type { Accumulator } from './accumulators.ts'
import { compileExpression } from '../expressions/compile.ts'
import { frameOf } from '../expressions/frame.ts'
import type { Expression } from '../expressions/frame.ts'
import type { Pipeline, StageEnv } from './stage.ts'
import { CommandError } from '../errors/command-error.ts'
import { hashKey } from '../bson/hash.ts'
import { asDoc, compareValues, fieldOf, setField, typeOf, typeRank } from '../bson/compare.ts'
import type { Doc, Scope, Value } from '../bson/compare.ts'

type Field = { name: string; create(): Accumulator; expression: Expression }

/** `$group`: groups come out in the order in which they first appeared. */
export function group(argument: Value, { scope }: StageEnv): Pipeline {
  const spec = asDoc(argument)
  if (!spec) throw new CommandError('Location15947', "a group's fields must be specified in an object")
  if (!Object.hasOwn(spec, '_id')) throw new CommandError('Location15955', 'a group specification must include an _id')
  const id = compileExpression(fieldOf(spec, '_id'), scope)
  const { _id, ...rest } = spec
  return grouping(id, fieldsOf(rest, scope), scope)
}

function fieldsOf(spec: Doc, scope: Scope): Field[] {
  return Object.keys(spec).map((name) => {
    if (name.includes('.')) throw new CommandError('Location40235', `The field name '${name}' cannot contain '.'`)
    if (name.startsWith('$'))
      throw new CommandError('Location40236', `The field name '${name}' cannot be an operator name`)
    const doc = asDoc(spec[name])
    const [operator, second] = Object.keys(doc ?? {})
    if (!doc || operator === undefined || !operator.startsWith('$')) {
      throw new CommandError('Location40234', `The field '${name}' must be an accumulator object`)
    }
    if (second !== undefined)
      throw new CommandError('Location40238', `The field '${name}' must specify one accumulator`)
    const create = Object.hasOwn(accumulators, operator) ? accumulators[operator] : undefined
    if (!create) throw new CommandError('Location15952', `unknown group operator '${operator}'`)
    const argument = doc[operator]
    if (operator === '$count') checkCount(argument)
    if (Array.isArray(argument) && argument.length !== 1 && operator !== '$push' && operator !== '$addToSet') {
      throw new CommandError('Location40237', `The ${operator} accumulator is a unary operator`)
    }
    return { name, create, expression: compileExpression(argument, scope) }
  })
}

function grouping(id: Expression, fields: Field[], scope: Scope): Pipeline {
  return (input) => {
    const groups = new Map<string, { id: Value; values: Accumulator[] }>()
    for (const doc of input) {
      const frame = frameOf(doc, scope)
      const key = id(frame) ?? null
      const hash = hashKey(key)
      const known = groups.get(hash) ?? { id: key, values: fields.map((field) => field.create()) }
      groups.set(hash, known)
      for (const [i, field] of fields.entries()) known.values[i]?.add(field.expression(frame))
    }
    return groups.values().map(({ id: key, values }) => {
      const made: Doc = { _id: key }
      for (const [i, field] of fields.entries()) setField(made, field.name, values[i]?.result())
      return made
    })
  }
}

/** `$sortByCount`: groups by an expression, the largest group first. */
export function sortByCount(argument: Value, env: StageEnv): Pipeline {
  const isExpression = typeof argument === 'string' ? argument.startsWith('$') : asDoc(argument) !== undefined
  if (!isExpression) {
    throw new CommandError(
      'Location40149',
      `the sortByCount field must be defined as a $-prefixed path or an expression, found ${typeOf(argument)}`,
    )
  }
  return env.compile(
    [{ $group: { _id: argument, count: { $sum: new Int32(1) } } }, { $sort: { count: new Int32(-1) } }],
    env,
  )
}

/** `$bucket`: groups by constant boundaries, each bucket named by its lower one; buckets come out in their order. */
export function bucket(argument: Value, { scope }: StageEnv): Pipeline {
  const spec = asDoc(argument)
  if (!spec)
    throw new CommandError(
      'Location40201',
      `Argument to $bucket stage must be an object, but found type: ${typeOf(argument)}`,
    )
  for (const name of Object.keys(spec)) {
    if (!['groupBy', 'boundaries', 'default', 'output'].includes(name)) {
      throw new CommandError('Location40197', `Unrecognized option to $bucket: ${name}.`)
    }
  }
  if (!Object.hasOwn(spec, 'groupBy') || !Object.hasOwn(spec, 'boundaries')) {
    throw new CommandError('Location40198', "$bucket requires 'groupBy' and 'boundaries' to be specified.")
  }
  const value = compileExpression(spec.groupBy, scope)
  const boundaries = boundariesOf(spec.boundaries)
  const fallback = defaultOf(spec, boundaries)
  const fields = fieldsOf(asDoc(spec.output) ?? { count: { $sum: new Int32(1) } }, scope)
  const grouped = grouping((frame) => bucketOf(value(frame), boundaries, fallback), fields, scope)
  return (input) => [...grouped(input)].sort((a, b) => compareValues(fieldOf(a, '_id'), fieldOf(b, '_id')))
}

function boundariesOf(value: Value): Value[] {
  if (!Array.isArray(value)) {
    throw new CommandError(
      'Location40200',
      `The $bucket 'boundaries' field must be an array, but found type: ${typeOf(value)}`,
    )
  }
  if (
    value.some((bound) => asDoc(bound) || Array.isArray(bound) || (typeof bound === 'string' && bound.startsWith('$')))
  ) {
    throw new CommandError('Location40191', "The $bucket 'boundaries' field must be an array of constant values")
  }
  if (value.length < 2) {
    throw new CommandError(
      'Location40192',
      `The $bucket 'boundaries' field must have at least 2 values, but found ${value.length} value(s).`,
    )
  }
  for (let i = 1; i < value.length; i++) {
    if (typeRank(value[i]) !== typeRank(value[i - 1])) {
      throw new CommandError(
        'Location40193',
        "All values in the the 'boundaries' option to $bucket must have the same type.",
      )
    }
    if (compareValues(value[i - 1], value[i]) >= 0) {
      throw new CommandError('Location40194', "The 'boundaries' option to $bucket must be sorted")
    }
  }
  return value
}

function defaultOf(spec: Doc, boundaries: Value[]): { value: Value } | undefined {
  if (!Object.hasOwn(spec, 'default')) return undefined
  const value = spec.default
  const below = compareValues(value, boundaries[0]) < 0
  if (!below && compareValues(value, boundaries.at(-1)) < 0) {
    throw new CommandError(
      'Location40199',
      "The $bucket 'default' field must be less than the lowest boundary or greater than or equal to the highest boundary.",
    )
  }
  return { value }
}

function bucketOf(value: Value, boundaries: Value[], fallback: { value: Value } | undefined): Value {
  const above = boundaries.findIndex((bound) => compareValues(value, bound) < 0)
  if (above > 0) return boundaries[above - 1]
  if (fallback) return fallback.value
  throw new CommandError(
    'Location40066',
    '$switch could not find a matching branch for an input, and no default was specified.',
  )
}
