import { arrayFor } from './arrays.ts'
import { fixed, isNullish, operands, isTrue } from './frame.ts'
import type { Operators } from './frame.ts'
import { CommandError } from '../errors/command-error.ts'
import { hashKey } from '../bson/hash.ts'
import { compareValues } from '../bson/compare.ts'
import type { Value } from '../bson/compare.ts'

/** Set operators; where the order of a result is open, it is the BSON order. */
export const sets: Operators = {
  $setUnion: (argument, compiler) => {
    const parts = operands(argument).map((part) => compiler.compile(part))
    return (frame) => {
      const values = parts.map((part) => part(frame))
      if (values.some(isNullish)) return null
      const all = values.flatMap((value) =>
        arrayFor(value, 'Location17043', 'All operands of $setUnion must be arrays. One argument is of type:'),
      )
      return distinct(all).sort(compareValues)
    }
  },
  $setIntersection: (argument, compiler) => {
    const parts = operands(argument).map((part) => compiler.compile(part))
    return (frame) => {
      const values = parts.map((part) => part(frame))
      if (values.some(isNullish)) return null
      const given = values.map((value) =>
        arrayFor(value, 'Location17047', 'All operands of $setIntersection must be arrays. One argument is of type:'),
      )
      const [first = [], ...rest] = given
      const keys = rest.map(keysOf)
      const common = distinct(first).filter((element) => keys.every((set) => set.has(hashKey(element))))
      return common.sort(compareValues)
    }
  },
  $setDifference: fixed(2, ([a, b]) => {
    if (isNullish(a) || isNullish(b)) return null
    const left = arrayFor(
      a,
      'Location17048',
      'both operands of $setDifference must be arrays. First argument is of type:',
    )
    const right = keysOf(
      arrayFor(b, 'Location17049', 'both operands of $setDifference must be arrays. Second argument is of type:'),
    )
    return distinct(left).filter((element) => !right.has(hashKey(element)))
  }),
  $setIsSubset: fixed(2, ([a, b]) => {
    const left = arrayFor(
      a,
      'Location17046',
      'both operands of $setIsSubset must be arrays. First argument is of type:',
    )
    const right = keysOf(
      arrayFor(b, 'Location17042', 'both operands of $setIsSubset must be arrays. Second argument is of type:'),
    )
    return left.every((element) => right.has(hashKey(element)))
  }),
  $setEquals: (argument, compiler, name) => {
    const parts = operands(argument).map((part) => compiler.compile(part))
    if (parts.length < 2)
      throw new CommandError('Location17045', `${name} needs at least two arguments had: ${parts.length}`)
    return (frame) => {
      const [first = new Set(), ...rest] = parts.map((part) =>
        keysOf(
          arrayFor(part(frame), 'Location17044', 'All operands of $setEquals must be arrays. One argument is of type:'),
        ),
      )
      return rest.every((set) => set.size === first.size && [...set].every((key) => first.has(key)))
    }
  },
  $anyElementTrue: fixed(1, ([value], name) =>
    arrayFor(value, 'Location17041', `${name}'s argument must be an array, but is`).some(isTrue),
  ),
  $allElementsTrue: fixed(1, ([value], name) =>
    arrayFor(value, 'Location17040', `${name}'s argument must be an array, but is`).every(isTrue),
  ),
}

function keysOf(values: Value[]): Set<string> {
  return new Set(values.map(hashKey))
}

/** The values without repetitions, in the order of their first occurrence. */
export function distinct(values: Value[]): Value[] {
  const seen = new Map<string, Value>()
  for (const value of values) {
    const key = hashKey(value)
    if (!seen.has(key)) seen.set(key, value)
  }
  return [...seen.values()]
}
