import { Double, Int32 } from 'bson'
import { integer, toInteger } from '../bson/numbers.ts'
import type { Numeric } from '../bson/numbers.ts'

/** A running sum as MongoDB calculates it: exact for integers, compensated summation for doubles. */
export type Sum = { add(value: Numeric): void; total(): Numeric }

/** Ints are added as JavaScript numbers up to here; numbers stay exact below 2^53. */
const maxExact = 2 ** 52

/**
 * Creates a sum of zero. Its total has the widest type among the added numbers, and is a double if a long would
 * overflow.
 */
export function createSum(): Sum {
  // Ints are added as a JavaScript number while it stays exact, all other integers as a big integer.
  let small = 0
  let big = 0n
  // Compensated summation (Kahan, Babuska): `low` is the rounding error of `high`.
  let high = 0
  let low = 0
  let type: 'int' | 'long' | 'double' = 'int'
  const addDouble = (value: number) => {
    const next = high + value
    if (Number.isFinite(next)) {
      const part = next - high
      low += high - (next - part) + (value - part)
    }
    high = next
  }
  const doubleTotal = () => {
    const whole = big + BigInt(small)
    const carried = Number.isFinite(high) ? high + low : high
    const top = Number(whole)
    return Number.isFinite(carried) ? top + carried + Number(whole - BigInt(top)) : carried
  }
  return {
    add(value) {
      if (value instanceof Double) {
        type = 'double'
        addDouble(value.value)
        return
      }
      if (type === 'int' && !(value instanceof Int32)) type = 'long'
      if (value instanceof Int32 && Math.abs(small) < maxExact) small += value.value
      else big += toInteger(value) ?? 0n
    },
    total: () => (type === 'double' ? undefined : integer(big + BigInt(small), type)) ?? new Double(doubleTotal()),
  }
}
