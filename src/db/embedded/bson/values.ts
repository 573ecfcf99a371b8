import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  DBRef,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  UUID,
} from 'bson'
import type { Numeric } from './numbers.ts'

/** One BSON value as `BSON.deserialize` gives it without promotion; `undefined` stands for a missing field. */
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
  | Timestamp
  | MinKey
  | MaxKey
  | Code
  | BSONSymbol
  | DBRef
  | Value[]
  | Doc

/** A BSON document: own enumerable keys in field order. */
export interface Doc {
  [field: string]: Value
}

/** What is the same for every document of one command. */
export type Scope = { now: Date; variables?: Record<string, Value> }

/** MongoDB's type names, as `$type` answers them. */
export type BsonTypeName =
  | 'missing'
  | 'null'
  | 'bool'
  | 'string'
  | 'date'
  | 'int'
  | 'double'
  | 'long'
  | 'decimal'
  | 'objectId'
  | 'binData'
  | 'regex'
  | 'timestamp'
  | 'minKey'
  | 'maxKey'
  | 'javascript'
  | 'javascriptWithScope'
  | 'symbol'
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
  [Decimal128.prototype, 'decimal'],
  [ObjectId.prototype, 'objectId'],
  [Binary.prototype, 'binData'],
  [UUID.prototype, 'binData'],
  [BSONRegExp.prototype, 'regex'],
  [Timestamp.prototype, 'timestamp'],
  [MinKey.prototype, 'minKey'],
  [MaxKey.prototype, 'maxKey'],
  [BSONSymbol.prototype, 'symbol'],
])

/** The BSON type of a value; throws a TypeError for what is not a typed BSON value (a plain JavaScript number, say). */
export function typeOf(value: Value): BsonTypeName {
  if (typeof value === 'string') return 'string'
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (typeof value === 'boolean') return 'bool'
  const known = typeof value === 'object' ? byPrototype.get(Object.getPrototypeOf(value)) : undefined
  if (known !== undefined) return known
  if (value instanceof Code)
    return value.scope === null || value.scope === undefined ? 'javascript' : 'javascriptWithScope'
  throw new TypeError(`Not a typed BSON value: ${typeof value}`)
}

/** The place of each type in the BSON order; types of one rank are compared by value (server source, `bsontypes.h`). */
const ranks: Record<BsonTypeName, number> = {
  minKey: -1,
  missing: 0,
  null: 5,
  int: 10,
  double: 10,
  long: 10,
  decimal: 10,
  string: 15,
  symbol: 15,
  object: 20,
  array: 25,
  binData: 30,
  objectId: 35,
  bool: 40,
  date: 45,
  timestamp: 47,
  regex: 50,
  javascript: 60,
  javascriptWithScope: 65,
  maxKey: 127,
}

/** The rank of the value's type; comparison operators of a query only match within one rank (type bracketing). */
export function typeRank(value: Value): number {
  return ranks[typeOf(value)]
}

/** The value as a document, or undefined when it is none. */
export function asDoc(value: Value): Doc | undefined {
  if (value === null || typeof value !== 'object') return undefined
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) return value as Doc
  return value instanceof DBRef ? (value.toJSON() as unknown as Doc) : undefined
}

/** The field's value or undefined; never something inherited from Object.prototype. */
export function fieldOf(doc: Doc, name: string): Value {
  const value: unknown = doc[name]
  return typeof value === 'function' || value === Object.prototype ? undefined : (value as Value)
}

/** Sets a field of a document under construction, also one named `__proto__`. */
export function setField(doc: Doc, name: string, value: Value): void {
  if (name === '__proto__')
    Object.defineProperty(doc, name, { value, writable: true, enumerable: true, configurable: true })
  else doc[name] = value
}
