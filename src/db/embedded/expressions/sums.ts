import { Decimal128, Double, Int32 } from 'bson'
import { addDecimals } from '../bson/decimal.ts'
import { integer, toDecimal, toDouble, toInteger } from '../bson/numbers.ts'
import type { Numeric } from '../bson/numbers.ts'

const SAFE = 2 ** 52

/** A running sum in MongoDB's way: integers exactly, doubles with the rounding error carried along, decimals apart. */
export type Sum = { add(value: Numeric): void; total(): Numeric }

/** A new sum; its total has the widest type among the added numbers, and is a double where a long would overflow. */
export function newSum(): Sum {
  // Most sums are of a few ints: they stay in a number, which is exact below 2^53, beside the exact big integer.
  let small = 0
  let big = 0n
  let high = 0
  let low = 0
  let decimal: Decimal128 | undefined
  let type: 'int' | 'long' | 'double' = 'int'
  const addDouble = (value: number) => {
    const next = high + value
    if (Number.isFinite(next)) {
      const part = next - high
      low += high - (next - part) + (value - part)
    }
    high = next
  }
  const wholeTotal = () => big + BigInt(small)
  const doubleTotal = () => {
    const whole = wholeTotal()
    const carried = Number.isFinite(high) ? high + low : high
    const top = Number(whole)
    return Number.isFinite(carried) ? top + carried + (Number.isFinite(top) ? Number(whole - BigInt(top)) : 0) : carried
  }
  return {
    add(value) {
      if (value instanceof Decimal128) decimal = addDecimals(decimal ?? Decimal128.fromString('0'), value)
      else if (value instanceof Double) {
        type = 'double'
        addDouble(value.value)
      } else {
        if (type === 'int' && !(value instanceof Int32)) type = 'long'
        if (value instanceof Int32 && Math.abs(small) < SAFE) small += value.value
        else big += toInteger(value) ?? 0n
      }
    },
    total() {
      const whole = wholeTotal()
      if (decimal) {
        const integers = addDecimals(decimal, Decimal128.fromStringWithRounding(whole.toString()))
        return type === 'double' ? addDecimals(integers, toDecimal(new Double(high + low))) : integers
      }
      return (type === 'double' ? undefined : integer(whole, type)) ?? new Double(doubleTotal())
    },
  }
}

/** The sum of the numbers; the int 0 for none. */
export function sum(numbers: readonly Numeric[]): Numeric {
  const running = newSum()
  for (const number of numbers) running.add(number)
  return running.total()
}

/** The mean as a double, or as a decimal where the total is one. */
export function mean(total: Numeric, count: number, divide: (a: Decimal128, b: Decimal128) => Decimal128): Numeric {
  if (total instanceof Decimal128) return divide(total, Decimal128.fromString(String(count)))
  return new Double(toDouble(total) / count)
}
