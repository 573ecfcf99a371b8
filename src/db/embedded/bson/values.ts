import { Binary, BSONRegExp, DBRef, Double, Int32, Long, ObjectId, UUID } from 'bson'
import type { Numeric } from './numbers.ts'

/** One BSON value as `BSON.deserialize` returns it without promotion; `undefined` stands for a missing field. */
export type Value =
  | undefined
  | null
  | boolean
  | string
  | Date
  | Numeric
  | ObjectId
  | Binary
  | BSONRegExp
  | DBRef
  | Value[]
  | Doc

/** A BSON document: own enumerable keys in field order. */
export interface Doc {
  [field: string]: Value
}

/** MongoDB's names of the types that the store supports. */
export type BsonTypeName =
  | 'missing'
  | 'null'
  | 'bool'
  | 'string'
  | 'date'
  | 'int'
  | 'double'
  | 'long'
  | 'objectId'
  | 'binData'
  | 'regex'
  | 'array'
  | 'object'

const byPrototype = new Map<unknown, BsonTypeName>([
  [Object.prototype, 'object'],
  [null, 'object'],
  [DBRef.prototype, 'object'],
  [Array.prototype, 'array'],
  [Date.prototype, 'date'],
  [Int32.prototype, 'int'],
  [Double.prototype, 'double'],
  [Long.prototype, 'long'],
  [ObjectId.prototype, 'objectId'],
  [Binary.prototype, 'binData'],
  [UUID.prototype, 'binData'],
  [BSONRegExp.prototype, 'regex'],
])

/** The BSON type of a value; throws a TypeError for a value without a BSON type, such as a plain JavaScript number. */
export function typeOf(value: Value): BsonTypeName {
  if (typeof value === 'string') return 'string'
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (typeof value === 'boolean') return 'bool'
  const known = typeof value === 'object' ? byPrototype.get(Object.getPrototypeOf(value)) : undefined
  if (known !== undefined) return known
  throw new TypeError(`Not a typed BSON value: ${typeof value}`)
}

/**
 * The position of each type in the BSON order; types of the same rank are compared by value (server source,
 * `bsontypes.h`).
 */
export const typeRanks: Readonly<Record<BsonTypeName, number>> = {
  missing: 0,
  null: 5,
  int: 10,
  double: 10,
  long: 10,
  string: 15,
  object: 20,
  array: 25,
  binData: 30,
  objectId: 35,
  bool: 40,
  date: 45,
  regex: 50,
}

/** The rank of the value's type. Comparison operators of a query match within one rank only (type bracketing). */
export function typeRank(value: Value): number {
  return typeRanks[typeOf(value)]
}

/** The value if it is a document, otherwise undefined. */
export function asDoc(value: Value): Doc | undefined {
  if (value === null || typeof value !== 'object') return undefined
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) return value as Doc
  return value instanceof DBRef ? value.toJSON() : undefined
}

/** The value of an own field, or undefined; inherited properties are ignored. */
export function fieldOf(doc: Doc, name: string): Value {
  const value: unknown = doc[name]
  return typeof value === 'function' || value === Object.prototype ? undefined : (value as Value)
}

/** Sets a field of a document under construction, including one named `__proto__`. */
export function setField(doc: Doc, name: string, value: Value): void {
  if (name === '__proto__')
    Object.defineProperty(doc, name, { value, writable: true, enumerable: true, configurable: true })
  else doc[name] = value
}

/** MongoDB's truthiness in an expression or a flag: false, null, missing and 0 are false; all other values are true. */
export function isTruthy(value: Value): boolean {
  if (value instanceof Int32 || value instanceof Double) return value.value !== 0
  if (value instanceof Long) return !value.isZero()
  return value !== false && value !== null && value !== undefined
}
