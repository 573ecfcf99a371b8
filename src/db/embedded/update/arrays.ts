import { BSONRegExp } from 'bson'
import { CommandError } from '../errors/command-error.ts'
import { compileElementFilter, compileFilter } from '../query/match.ts'
import type { Apply } from './tree.ts'
import { identicalValues } from '../bson/identity.ts'
import { isNumber, toExactInteger } from '../bson/numbers.ts'
import { asDoc, compareValues, equalValues, fieldOf, typeOf } from '../bson/compare.ts'
import type { Doc, Scope, Value } from '../bson/compare.ts'

/** `$push` with `$each`, `$position`, `$sort` and `$slice`, which are applied in this order. */
export function push(argument: Value, path: string): Apply {
  const clauses = eachClauses(argument)
  if (!clauses) return (value) => [...arrayFor(value, path), argument]
  for (const name of Object.keys(clauses)) {
    if (!['$each', '$slice', '$sort', '$position'].includes(name)) {
      throw new CommandError('BadValue', `Unrecognized clause in $push: ${name}`)
    }
  }
  const added = eachOf('$push', clauses.$each)
  const position = wholeClause('$position', clauses.$position)
  const slice = wholeClause('$slice', clauses.$slice)
  const order = clauses.$sort === undefined ? undefined : elementOrder(clauses.$sort)
  return (value) => {
    const before = arrayFor(value, path)
    const after = before.toSpliced(position ?? before.length, 0, ...added)
    if (order) after.sort(order)
    const kept = slice === undefined ? after : slice < 0 ? after.slice(slice) : after.slice(0, slice)
    return Array.isArray(value) && identicalValues(value, kept) ? value : kept
  }
}

function eachClauses(argument: Value): Doc | undefined {
  const doc = asDoc(argument)
  return doc && fieldOf(doc, '$each') !== undefined ? doc : undefined
}

function eachOf(operator: string, value: Value): Value[] {
  if (Array.isArray(value)) return value
  const code = operator === '$push' ? 'BadValue' : 'TypeMismatch'
  throw new CommandError(
    code,
    `The argument to $each in ${operator} must be an array but it was of type ${typeOf(value)}`,
  )
}

function arrayFor(value: Value, path: string): Value[] {
  if (value === undefined) return []
  if (Array.isArray(value)) return value
  throw new CommandError('BadValue', `The field '${path}' must be an array but is of type ${typeOf(value)}`)
}

function wholeClause(name: string, value: Value): number | undefined {
  if (value === undefined) return undefined
  const whole = toExactInteger(value)
  if (whole !== undefined) return Number(whole)
  throw new CommandError(
    'BadValue',
    `The value for ${name} must be an integer value but was given type: ${typeOf(value)}`,
  )
}

function elementOrder(spec: Value): (a: Value, b: Value) => number {
  if (isNumber(spec)) return directed(spec)
  const fields = asDoc(spec)
  if (!fields)
    throw new CommandError(
      'BadValue',
      'The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort embedded fields',
    )
  const names = Object.keys(fields)
  if (names.length === 0)
    throw new CommandError('BadValue', 'The $sort pattern is empty when it should be a set of fields.')
  const orders = names.map((name) => {
    if (name.split('.').includes(''))
      throw new CommandError('BadValue', `The $sort field is a dotted field but has an empty part: ${name}`)
    const compare = directed(fields[name])
    return (a: Value, b: Value) => compare(plainField(a, name), plainField(b, name))
  })
  return (a, b) => orders.reduce((difference, order) => difference || order(a, b), 0)
}

function directed(spec: Value): (a: Value, b: Value) => number {
  const direction = toExactInteger(spec)
  if (direction === 1n) return compareValues
  if (direction === -1n) return (a, b) => compareValues(b, a)
  throw new CommandError('BadValue', 'The $sort element value must be either 1 or -1')
}

/** The field of an element without going through arrays; missing counts as null. */
function plainField(element: Value, path: string): Value {
  const value = path.split('.').reduce<Value>((at, part) => fieldOf(asDoc(at) ?? {}, part), element)
  return value === undefined ? null : value
}

/** `$addToSet`, with `$each` for several: what is not in the array yet, in the order given. */
export function addToSet(argument: Value, path: string): Apply {
  const clauses = eachClauses(argument)
  const extra = clauses && Object.keys(clauses).find((name) => name !== '$each')
  if (extra !== undefined)
    throw new CommandError('BadValue', `Found unexpected fields after $each in $addToSet: ${extra}`)
  const added = clauses ? eachOf('$addToSet', clauses.$each) : [argument]
  return (value) => {
    if (value !== undefined && !Array.isArray(value)) {
      throw new CommandError(
        'BadValue',
        `Cannot apply $addToSet to non-array field. Field named '${path}' has non-array type ${typeOf(value)}`,
      )
    }
    const result = value === undefined ? [] : value.slice()
    for (const item of added) if (!result.some((known) => equalValues(known, item))) result.push(item)
    return value?.length === result.length ? value : result
  }
}

/** `$pull`: removes elements equal to a value, or matching a condition. */
export function pull(argument: Value, _path: string, scope: Scope): Apply {
  return removing('$pull', pulled(argument, scope))
}

function pulled(argument: Value, scope: Scope): (element: Value) => boolean {
  if (argument instanceof BSONRegExp) {
    const matches = compileFilter({ element: argument }, scope)
    return (element) => matches({ element })
  }
  const condition = asDoc(argument)
  return condition ? compileElementFilter(condition, scope) : (element) => equalValues(element, argument)
}

/** `$pullAll`: removes every element equal to one of the values. */
export function pullAll(argument: Value): Apply {
  if (!Array.isArray(argument)) {
    throw new CommandError('BadValue', `$pullAll requires an array argument but was given a ${typeOf(argument)}`)
  }
  return removing('$pullAll', (element) => argument.some((unwanted) => equalValues(unwanted, element)))
}

function removing(operator: string, unwanted: (element: Value) => boolean): Apply {
  return (value) => {
    if (value === undefined) return value
    if (!Array.isArray(value)) throw new CommandError('BadValue', `Cannot apply ${operator} to a non-array value`)
    const kept = value.filter((element) => !unwanted(element))
    return kept.length === value.length ? value : kept
  }
}

/** `$pop`: 1 removes the last element, -1 the first. */
export function pop(argument: Value, path: string): Apply {
  const end = toExactInteger(argument)
  if (end !== 1n && end !== -1n) {
    throw new CommandError(
      'FailedToParse',
      isNumber(argument) ? `$pop expects 1 or -1, found: ${argument.toString()}` : `Expected a number in: ${path}`,
    )
  }
  return (value) => {
    if (value === undefined) return value
    if (!Array.isArray(value)) {
      throw new CommandError('TypeMismatch', `Path '${path}' contains an element of non-array type '${typeOf(value)}'`)
    }
    if (value.length === 0) return value
    return end === 1n ? value.slice(0, -1) : value.slice(1)
  }
}
