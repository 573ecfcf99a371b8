import { mergedDocs } from '../expressions/objects.ts'
import { mean, newSum } from '../expressions/sums.ts'
import { CommandError } from '../errors/command-error.ts'
import { divideDecimals } from '../bson/decimal.ts'
import { hashKey } from '../bson/hash.ts'
import { isNumber, wholeNumber } from '../bson/numbers.ts'
import { asDoc, compareValues } from '../bson/compare.ts'
import type { Value } from '../bson/compare.ts'

/** What `$group` keeps per group and field: takes each value, answers the result at the end. */
export type Accumulator = { add(value: Value): void; result(): Value }

/** The accumulators of `$group`, by name. */
export const accumulators: Readonly<Record<string, () => Accumulator>> = {
  $sum: () => {
    const total = newSum()
    return { add: (value) => isNumber(value) && total.add(value), result: () => total.total() }
  },
  $avg: average,
  $min: () => extreme(-1),
  $max: () => extreme(1),
  $first: first,
  $last: () => {
    let last: Value = null
    return { add: (value) => void (last = value ?? null), result: () => last }
  },
  $push: () => {
    const values: Value[] = []
    return { add: (value) => void (value !== undefined && values.push(value)), result: () => values }
  },
  $addToSet: () => {
    const values = new Map<string, Value>()
    return {
      add: (value) => void (value !== undefined && values.set(hashKey(value), value)),
      result: () => [...values.values()],
    }
  },
  $count: () => {
    let count = 0
    return {
      add: () => void (count += 1),
      result: () => wholeNumber(count),
    }
  },
  $mergeObjects: () => {
    const docs: Value[] = []
    return { add: (value) => void docs.push(value), result: () => mergedDocs(docs) }
  },
}

function average(): Accumulator {
  const total = newSum()
  let count = 0
  return {
    add(value) {
      if (!isNumber(value)) return
      total.add(value)
      count += 1
    },
    result: () => (count === 0 ? null : mean(total.total(), count, divideDecimals)),
  }
}

function extreme(sign: 1 | -1): Accumulator {
  let best: Value = null
  return {
    add(value) {
      if (value === null || value === undefined) return
      if (best === null || sign * compareValues(value, best) > 0) best = value
    },
    result: () => best,
  }
}

function first(): Accumulator {
  let found: { value: Value } | undefined
  return {
    add: (value) => void (found ??= { value: value ?? null }),
    result: () => found?.value ?? null,
  }
}

/** `$count` takes an empty document. */
export function checkCount(argument: Value): void {
  const doc = asDoc(argument)
  if (!doc || Object.keys(doc).length > 0) {
    throw new CommandError('TypeMismatch', '$count takes no arguments, i.e. $count:{}')
  }
}
