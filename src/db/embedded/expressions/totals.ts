import { newSum, mean } from './sums.ts'
import { isNullish, operands } from './frame.ts'
import type { Operator, Operators } from './frame.ts'
import { divideDecimals } from '../bson/decimal.ts'
import { isNumber } from '../bson/numbers.ts'
import { compareValues } from '../bson/compare.ts'
import type { Value } from '../bson/compare.ts'

/** `$sum`, `$avg`, `$min` and `$max` as expressions: over several operands, or over the elements of one that is an array. */
export const totals: Operators = {
  $sum: over(sumOf),
  $avg: over(averageOf),
  $min: over((values) => extremeOf(values, -1)),
  $max: over((values) => extremeOf(values, 1)),
}

function over(evaluate: (values: readonly Value[]) => Value): Operator {
  return (argument, compiler) => {
    const expressions = operands(argument).map((operand) => compiler.compile(operand))
    return (frame) => {
      const values = expressions.map((expression) => expression(frame))
      const [only] = values
      return evaluate(values.length === 1 && Array.isArray(only) ? only : values)
    }
  }
}

/** The sum of the numbers among the values. */
export function sumOf(values: readonly Value[]): Value {
  const running = newSum()
  for (const value of values) if (isNumber(value)) running.add(value)
  return running.total()
}

/** The mean of the numbers among the values, null for none. */
export function averageOf(values: readonly Value[]): Value {
  const running = newSum()
  let count = 0
  for (const value of values) {
    if (!isNumber(value)) continue
    running.add(value)
    count += 1
  }
  return count === 0 ? null : mean(running.total(), count, divideDecimals)
}

/** The least (-1) or greatest (1) value in the BSON order, null and missing passed over. */
export function extremeOf(values: readonly Value[], sign: 1 | -1): Value {
  let best: Value = null
  for (const value of values) {
    if (!isNullish(value) && (best === null || sign * compareValues(value, best) > 0)) best = value
  }
  return best
}
