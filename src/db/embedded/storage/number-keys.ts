import { Decimal128, Long } from 'bson'
import { invert, reserve, writeByte } from './key-writer.ts'
import type { KeyWriter } from './key-writer.ts'
import { compareDecimals, decimalOf, decimalOfDouble, decimalOfInteger } from '../bson/decimal.ts'
import type { Decimal } from '../bson/decimal.ts'
import type { Numeric } from '../bson/numbers.ts'

/*
 * A number is written as the double next to it towards zero (8 bytes), then what that double leaves out: 00 when nothing,
 * else 01, the decimal exponent and the decimal digits of the whole value. Numbers with the same double are thereby ordered
 * exactly, and equal values of different types have equal bytes. Negative numbers are the inverse of their absolute value.
 */

/** Appends a number so that the order of the bytes is the order of the exact values; NaN comes first. */
export function writeNumber(writer: KeyWriter, value: Numeric): void {
  if (value instanceof Decimal128) writeExactly(writer, decimalOf(value))
  else if (value instanceof Long) writeLong(writer, value)
  else writeDouble(writer, value.value)
}

function writeLong(writer: KeyWriter, value: Long): void {
  const near = value.toNumber()
  if (Number.isSafeInteger(near)) writeDouble(writer, near)
  else writeExactly(writer, decimalOfInteger(value.toBigInt()))
}

function writeDouble(writer: KeyWriter, value: number): void {
  const at = reserve(writer, 9)
  writer.bytes[at + 8] = 0
  if (Number.isNaN(value)) {
    writer.bytes.fill(0, at, at + 8)
    return
  }
  writer.bytes.writeDoubleBE(Math.abs(value), at)
  writer.bytes[at] = (writer.bytes[at] ?? 0) | 0x80
  if (value < 0) invert(writer, at)
}

function writeExactly(writer: KeyWriter, value: Decimal): void {
  if (value.kind === 'nan') return writeDouble(writer, Number.NaN)
  if (value.kind === 'infinite') return writeDouble(writer, value.sign * Number.POSITIVE_INFINITY)
  const { coefficient, exponent } = value
  if (coefficient === 0n) return writeDouble(writer, 0)
  const negative = coefficient < 0n
  const size = { kind: 'finite', coefficient: negative ? -coefficient : coefficient, exponent } as const
  const near = towardsZero(size)
  const at = writer.length
  writeDouble(writer, near)
  if (compareDecimals(decimalOfDouble(near), size) !== 0) {
    writer.length -= 1
    writeDigits(writer, size.coefficient, exponent)
  }
  if (negative) invert(writer, at)
}

/** The largest double that is not above a positive decimal. */
function towardsZero(value: Decimal & { kind: 'finite' }): number {
  const near = Number(`${value.coefficient}e${value.exponent}`)
  if (near === Number.POSITIVE_INFINITY) return Number.MAX_VALUE
  return compareDecimals(decimalOfDouble(near), value) > 0 ? previousDouble(near) : near
}

function previousDouble(value: number): number {
  const bits = Buffer.allocUnsafe(8)
  bits.writeDoubleBE(value)
  bits.writeBigUInt64BE(bits.readBigUInt64BE() - 1n)
  return bits.readDoubleBE()
}

function writeDigits(writer: KeyWriter, coefficient: bigint, exponent: number): void {
  const all = coefficient.toString()
  const digits = all.replace(/0+$/, '')
  writeByte(writer, 1)
  const at = reserve(writer, 2)
  writer.bytes.writeUInt16BE(all.length + exponent + 0x8000, at)
  for (const digit of digits) writeByte(writer, Number(digit) + 1)
  writeByte(writer, 0)
}
