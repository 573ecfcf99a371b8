import { BSONRegExp } from 'bson'
import { compareValues, equalValues } from '../bson/compare.ts'
import { identicalValues } from '../bson/identity.ts'
import { toExactInteger } from '../bson/numbers.ts'
import { asDoc, fieldOf, typeOf } from '../bson/values.ts'
import type { Doc, Value } from '../bson/values.ts'
import { CommandError } from '../errors/command-error.ts'
import { compileElementFilter, compileFilter } from '../query/match.ts'
import type { Apply } from './tree.ts'

/** The clauses of `$push`, applied in this order. */
export const pushClauses: readonly string[] = ['$each', '$sort', '$slice']

/** `$push`, with `$each` for several values, `$sort` for their order and `$slice` for the number to keep. */
export function push(argument: Value, path: string): Apply {
  const clauses = eachClauses(argument)
  if (!clauses) return (value) => [...arrayFor(value, path), argument]
  const unknown = Object.keys(clauses).find((name) => !pushClauses.includes(name))
  if (unknown !== undefined) throw new CommandError('BadValue', `Unrecognized clause in $push: ${unknown}`)
  const added = eachOf('$push', clauses['$each'])
  const slice = sliceOf(clauses['$slice'])
  const order = clauses['$sort'] === undefined ? undefined : orderOf(clauses['$sort'])
  return (value) => {
    const after = [...arrayFor(value, path), ...added]
    if (order) after.sort(order)
    const kept = slice === undefined ? after : slice < 0 ? after.slice(slice) : after.slice(0, slice)
    return Array.isArray(value) && identicalValues(value, kept) ? value : kept
  }
}

function eachClauses(argument: Value): Doc | undefined {
  const doc = asDoc(argument)
  return doc && fieldOf(doc, '$each') !== undefined ? doc : undefined
}

function eachOf(operator: '$push' | '$addToSet', value: Value): Value[] {
  if (Array.isArray(value)) return value
  throw new CommandError(
    operator === '$push' ? 'BadValue' : 'TypeMismatch',
    `The argument to $each in ${operator} must be an array but it was of type ${typeOf(value)}`,
  )
}

function arrayFor(value: Value, path: string): Value[] {
  if (value === undefined) return []
  if (Array.isArray(value)) return value
  throw new CommandError('BadValue', `The field '${path}' must be an array but is of type ${typeOf(value)}`)
}

/** The number of elements to keep: the first ones, or the last ones if negative. */
function sliceOf(value: Value): number | undefined {
  if (value === undefined) return undefined
  const count = toExactInteger(value)
  if (count !== undefined) return Number(count)
  throw new CommandError(
    'BadValue',
    `The value for $slice must be an integer value but was given type: ${typeOf(value)}`,
  )
}

function orderOf(spec: Value): (a: Value, b: Value) => number {
  if (asDoc(spec)) {
    throw new CommandError('CommandNotSupported', '$sort by fields in $push is not supported by this store')
  }
  const direction = toExactInteger(spec)
  if (direction === 1n) return compareValues
  if (direction === -1n) return (a, b) => compareValues(b, a)
  throw new CommandError('BadValue', 'The $sort element value must be either 1 or -1')
}

/** `$addToSet`, with `$each` for several values: appends those that the array does not contain, in the given order. */
export function addToSet(argument: Value, path: string): Apply {
  const clauses = eachClauses(argument)
  const unknown = clauses && Object.keys(clauses).find((name) => name !== '$each')
  if (unknown !== undefined) {
    throw new CommandError('BadValue', `Found unexpected fields after $each in $addToSet: ${unknown}`)
  }
  const added = clauses ? eachOf('$addToSet', clauses['$each']) : [argument]
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

/** `$pull`: removes elements that equal a value or match a condition. */
export function pull(argument: Value): Apply {
  const unwanted = elementTest(argument)
  return (value) => {
    if (value === undefined) return value
    if (!Array.isArray(value)) throw new CommandError('BadValue', 'Cannot apply $pull to a non-array value')
    const kept = value.filter((element) => !unwanted(element))
    return kept.length === value.length ? value : kept
  }
}

function elementTest(argument: Value): (element: Value) => boolean {
  if (argument instanceof BSONRegExp) {
    const matches = compileFilter({ element: argument })
    return (element) => matches({ element })
  }
  const condition = asDoc(argument)
  return condition ? compileElementFilter(condition) : (element) => equalValues(element, argument)
}
