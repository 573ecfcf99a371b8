import { BSONRegExp, Double } from 'bson'
import { isNumber, toDouble } from '../bson/numbers.ts'
import { asDoc, isTruthy, typeOf } from '../bson/values.ts'
import type { Doc, Value } from '../bson/values.ts'
import { parsePattern, regexOf } from '../query/regex.ts'
import type { Regex } from '../query/regex.ts'
import { successor } from '../storage/key-parts.ts'
import { encodeKey, keyClasses } from '../storage/keys.ts'
import { complement, contains, everything, intersect, point, union } from './intervals.ts'
import type { Intervals } from './intervals.ts'

/*
 * Converts conditions on a field to intervals of index keys. The intervals may contain too many keys (the filter is
 * tested again on each document) but never too few.
 */

/** The keys for one operator; `missing` is true if a document without the field may match. */
export type Bound = { keys: Intervals; missing: boolean }

const missingKey = encodeKey(undefined)
const nullKey = encodeKey(null)
const nanKey = encodeKey(new Double(Number.NaN))
const nothing: Intervals = [point(missingKey), point(nullKey)]

/**
 * One bound for each operator of a condition. A value must satisfy all of them; in an array, different elements may.
 */
export function conditionBounds(condition: Value): Bound[] {
  const doc = asDoc(condition)
  const operators = doc ? Object.keys(doc).filter((name) => name.startsWith('$')) : []
  if (!doc || operators.length === 0) {
    return [bound(condition instanceof BSONRegExp ? regexKeys(condition) : equalKeys(condition))]
  }
  return operators.map((name) => operatorBound(name, doc[name], doc))
}

function bound(keys: Intervals): Bound {
  return { keys, missing: contains(keys, nullKey) }
}

function operatorBound(name: string, operand: Value, all: Doc): Bound {
  switch (name) {
    case '$eq':
      return bound(equalKeys(operand))
    case '$in':
      return bound(Array.isArray(operand) ? listKeys(operand) : everything)
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      return bound(rangeKeys(name, operand))
    case '$ne':
      return bound(isComplementable(operand) ? complement([point(encodeKey(operand))]) : everything)
    case '$nin':
      return bound(ninKeys(operand))
    case '$exists':
      return isTruthy(operand) ? { keys: everything, missing: false } : bound(nothing)
    case '$regex':
      return bound(regexKeys(regexOf(operand, all['$options'])))
    case '$elemMatch':
      return { keys: elementKeys(operand), missing: false }
    case '$size':
      return { keys: everything, missing: false }
    default:
      return bound(everything)
  }
}

function equalKeys(operand: Value): Intervals {
  if (operand === undefined) return everything
  if (operand === null) return nothing
  if (!Array.isArray(operand)) return [point(encodeKey(operand))]
  // Equality with the array itself is found by its first element. Or one element equals the array.
  return union([[point(encodeKey(operand[0]))], [point(encodeKey(operand))]])
}

function listKeys(operands: readonly Value[]): Intervals {
  return union(operands.map((operand) => (operand instanceof BSONRegExp ? regexKeys(operand) : equalKeys(operand))))
}

/**
 * True if the operator's negation excludes exactly one key. Null is different: a path that ends early in an empty array
 * has the same key, but does not equal null.
 */
function isComplementable(operand: Value): boolean {
  return operand !== undefined && operand !== null && !Array.isArray(operand) && !(operand instanceof BSONRegExp)
}

function ninKeys(operand: Value): Intervals {
  if (!Array.isArray(operand)) return everything
  return complement(union(operand.filter(isComplementable).map((one) => [point(encodeKey(one))])))
}

function rangeKeys(name: '$gt' | '$gte' | '$lt' | '$lte', operand: Value): Intervals {
  if (operand === null) return name === '$gte' || name === '$lte' ? nothing : []
  if (operand === undefined || Array.isArray(operand) || operand instanceof BSONRegExp) return everything
  const key = encodeKey(operand)
  if (isNumber(operand) && Number.isNaN(toDouble(operand))) return name.endsWith('e') ? [point(key)] : []
  const keyClass = Uint8Array.of(keyClasses[typeOf(operand)])
  const first = isNumber(operand) ? successor(nanKey) : keyClass
  const lo = name === '$gt' ? successor(key) : name === '$gte' ? key : first
  const hi = name === '$lt' ? key : name === '$lte' ? successor(key) : successor(keyClass)
  return Buffer.compare(lo, hi) < 0 ? [{ lo, hi }] : []
}

/**
 * `{$elemMatch: {$gte: 1, $lt: 5}}`: one element satisfies all operators. `filterParts` handles documents in arrays.
 */
function elementKeys(operand: Value): Intervals {
  const doc = asDoc(operand)
  const names = Object.keys(doc ?? {})
  if (!doc || names.some((name) => !name.startsWith('$') || name === '$and' || name === '$or' || name === '$nor')) {
    return everything
  }
  return conditionBounds(doc)
    .map(({ keys }) => keys)
    .reduce(intersect, everything)
}

/** A regular expression also matches a stored regular expression that equals it. */
function regexKeys(regex: Regex): Intervals {
  const { text, anchored, ignoreCase } = parsePattern(regex)
  const start = Buffer.concat([Buffer.of(keyClasses.string), Buffer.from(anchored && !ignoreCase ? text : '')])
  return [{ lo: start, hi: successor(start) }, point(encodeKey(new BSONRegExp(regex.pattern, regex.options)))]
}
