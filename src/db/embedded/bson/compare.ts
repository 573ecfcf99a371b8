import { Binary, BSONRegExp, Int32, ObjectId } from 'bson'
import { compareNumbers, isNumber } from './numbers.ts'
import { asDoc, typeRank } from './values.ts'
import type { Doc, Value } from './values.ts'

/** MongoDB's total order over all BSON values: negative, 0 or positive. `undefined` (missing) sorts before null. */
export function compareValues(a: Value, b: Value): number {
  if (a === b) return 0
  if (a instanceof Int32 && b instanceof Int32) return a.value - b.value
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b)
  const difference = typeRank(a) - typeRank(b)
  return difference !== 0 ? difference : compareWithin(a, b)
}

/** True if the values compare as equal: 1, 1.0 and NumberLong(1) are equal. */
export function equalValues(a: Value, b: Value): boolean {
  return compareValues(a, b) === 0
}

/** Compares two values of one rank. */
function compareWithin(a: Value, b: Value): number {
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b)
  if (Array.isArray(a) && Array.isArray(b)) return compareArrays(a, b)
  if (a instanceof ObjectId && b instanceof ObjectId) return Buffer.compare(a.id, b.id)
  if (a instanceof Date && b instanceof Date) return a.getTime() - b.getTime()
  if (a instanceof Binary && b instanceof Binary) return compareBinary(a, b)
  if (a instanceof BSONRegExp && b instanceof BSONRegExp) return compareRegExps(a, b)
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b)
  return compareDocs(asDoc(a) ?? {}, asDoc(b) ?? {})
}

/** Compares strings by their UTF-8 bytes, which is code point order. */
export function compareStrings(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(i)
    if (left !== right) return aboveSurrogates(left) - aboveSurrogates(right)
  }
  return a.length - b.length
}

/**
 * Corrects the order of surrogates: UTF-16 sorts astral characters (surrogates D800–DFFF) before E000–FFFF, UTF-8 after
 * them.
 */
function aboveSurrogates(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}

function compareDocs(a: Doc, b: Doc): number {
  const left = Object.keys(a)
  const right = Object.keys(b)
  const length = Math.min(left.length, right.length)
  for (let i = 0; i < length; i++) {
    const [x, y] = [left[i] ?? '', right[i] ?? '']
    const difference = typeRank(a[x]) - typeRank(b[y]) || compareStrings(x, y) || compareValues(a[x], b[y])
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

function compareArrays(a: Value[], b: Value[]): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const difference = compareValues(a[i], b[i])
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

function compareBinary(a: Binary, b: Binary): number {
  return a.length() - b.length() || a.sub_type - b.sub_type || Buffer.compare(a.value(), b.value())
}

function compareRegExps(a: BSONRegExp, b: BSONRegExp): number {
  return compareStrings(a.pattern, b.pattern) || compareStrings(a.options, b.options)
}
