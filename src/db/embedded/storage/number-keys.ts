import { Long } from 'bson'
import type { Numeric } from '../bson/numbers.ts'
import { invert, reserve, writeByte } from './key-writer.ts'
import type { KeyWriter } from './key-writer.ts'

/*
 * A number is written as the nearest double towards zero (8 bytes), then the remainder that this double loses: 00 if it
 * loses nothing, otherwise 01, the number of decimal digits and the digits of the whole value without trailing zeros.
 * So numbers with the same double are ordered exactly, and equal values of different types have equal bytes. Negative
 * numbers are the inverse of their absolute value.
 */

/** Appends a number in an encoding that sorts by exact value; NaN sorts first. */
export function writeNumber(writer: KeyWriter, value: Numeric): void {
  if (value instanceof Long) writeLong(writer, value)
  else writeDouble(writer, value.value)
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

function writeLong(writer: KeyWriter, value: Long): void {
  const nearest = value.toNumber()
  if (Number.isSafeInteger(nearest)) return writeDouble(writer, nearest)
  const exact = value.toBigInt()
  const size = exact < 0n ? -exact : exact
  const near = towardsZero(size)
  const at = writer.length
  writeDouble(writer, near)
  if (BigInt(near) !== size) {
    writer.length -= 1
    writeDigits(writer, size)
  }
  if (exact < 0n) invert(writer, at)
}

/** The largest double that does not exceed a positive integer below 2^64. */
function towardsZero(size: bigint): number {
  const near = Number(size)
  if (BigInt(near) <= size) return near
  const bits = Buffer.allocUnsafe(8)
  bits.writeDoubleBE(near)
  bits.writeBigUInt64BE(bits.readBigUInt64BE() - 1n)
  return bits.readDoubleBE()
}

/** The number of digits is the decimal exponent of the value as 0.d…e. It is stored with an offset so that it sorts. */
function writeDigits(writer: KeyWriter, size: bigint): void {
  const all = size.toString()
  writeByte(writer, 1)
  const at = reserve(writer, 2)
  writer.bytes.writeUInt16BE(all.length + 0x8000, at)
  for (const digit of all.replace(/0+$/, '')) writeByte(writer, Number(digit) + 1)
  writeByte(writer, 0)
}
