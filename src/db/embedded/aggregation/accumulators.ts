import { compareValues } from '../bson/compare.ts'
import { hashKey } from '../bson/hash.ts'
import { isNumber } from '../bson/numbers.ts'
import type { Value } from '../bson/values.ts'
import { createSum } from './sum.ts'

/** The state that `$group` keeps for each group and field: it takes every value and returns the result at the end. */
export type Accumulator = { add(value: Value): void; result(): Value }

/** The accumulators of `$group`, by name. */
export const accumulators: ReadonlyMap<string, () => Accumulator> = new Map([
  ['$sum', sum],
  ['$max', max],
  ['$last', last],
  ['$push', push],
  ['$addToSet', addToSet],
])

/** The sum of the numeric values; the int 0 if there are none. */
function sum(): Accumulator {
  const total = createSum()
  return {
    add(value) {
      if (isNumber(value)) total.add(value)
    },
    result: () => total.total(),
  }
}

/** The maximum in the BSON order; null and missing values are ignored. */
function max(): Accumulator {
  let greatest: Value = null
  return {
    add(value) {
      if (value === null || value === undefined) return
      if (greatest === null || compareValues(value, greatest) > 0) greatest = value
    },
    result: () => greatest,
  }
}

function last(): Accumulator {
  let latest: Value = null
  return {
    add(value) {
      latest = value ?? null
    },
    result: () => latest,
  }
}

function push(): Accumulator {
  const values: Value[] = []
  return {
    add(value) {
      if (value !== undefined) values.push(value)
    },
    result: () => values,
  }
}

function addToSet(): Accumulator {
  const values = new Map<string, Value>()
  return {
    add(value) {
      if (value !== undefined) values.set(hashKey(value), value)
    },
    result: () => [...values.values()],
  }
}
