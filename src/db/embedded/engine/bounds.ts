import { BSONRegExp, Double, MaxKey, MinKey } from 'bson'
import { complement, contains, everything, intersect, point, union } from './intervals.ts'
import type { Intervals } from './intervals.ts'
import { successor } from '../storage/key-parts.ts'
import { encodeKey, keyClasses } from '../storage/keys.ts'
import { isNumber, toDouble } from '../bson/numbers.ts'
import { asDoc, typeOf } from '../bson/compare.ts'
import type { Doc, Value } from '../bson/compare.ts'

/*
 * From a condition on a field to the index keys that can fulfil it. The keys may be too many (the filter is tested again on
 * each document) but never too few.
 */

/** The keys for one operator; `missing` when a document without the field may match. */
export type Bound = { keys: Intervals; missing: boolean }

const missingKey = encodeKey(undefined)
const nullKey = encodeKey(null)
const nanKey = encodeKey(new Double(Number.NaN))
const nothing: Intervals = [point(missingKey), point(nullKey)]

/** One bound for each operator of a condition; all of them hold together (though for an array, each for another element). */
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
    case '$all':
      return bound(Array.isArray(operand) ? allKeys(operand) : everything)
    case '$regex':
      return bound(regexKeys(regexOf(operand, all.$options)))
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
  // Equal to the array itself: found by its first element. Or an element is the array.
  return union([[point(encodeKey(operand[0]))], [point(encodeKey(operand))]])
}

function listKeys(operands: readonly Value[]): Intervals {
  return union(operands.map((operand) => (operand instanceof BSONRegExp ? regexKeys(operand) : equalKeys(operand))))
}

/**
 * What a condition excludes is one key for sure. Not so for null: it is also the key of a path that ends in an empty
 * array on its way, which is not equal to null.
 */
function isComplementable(operand: Value): boolean {
  return operand !== undefined && operand !== null && !Array.isArray(operand) && !(operand instanceof BSONRegExp)
}

function ninKeys(operand: Value): Intervals {
  if (!Array.isArray(operand)) return everything
  return complement(union(operand.filter(isComplementable).map((one) => [point(encodeKey(one))])))
}

function allKeys(operands: readonly Value[]): Intervals {
  const simple = operands.filter((operand) => !asDoc(operand)?.$elemMatch && !(operand instanceof BSONRegExp))
  return simple.length > 0 ? equalKeys(simple[0]) : everything
}

function rangeKeys(name: '$gt' | '$gte' | '$lt' | '$lte', operand: Value): Intervals {
  if (operand === null) return name === '$gte' || name === '$lte' ? nothing : []
  if (operand === undefined || Array.isArray(operand) || operand instanceof BSONRegExp) return everything
  if (operand instanceof MinKey || operand instanceof MaxKey) return everything
  const key = encodeKey(operand)
  if (isNumber(operand) && Number.isNaN(toDouble(operand))) return name.endsWith('e') ? [point(key)] : []
  const keyClass = Uint8Array.of(keyClasses[typeOf(operand)])
  const first = isNumber(operand) ? successor(nanKey) : keyClass
  const [lo, hi] = {
    $gt: [successor(key), successor(keyClass)],
    $gte: [key, successor(keyClass)],
    $lt: [first, key],
    $lte: [first, successor(key)],
  }[name] as [Uint8Array, Uint8Array]
  return Buffer.compare(lo, hi) < 0 ? [{ lo, hi }] : []
}

/** `{$elemMatch: {$gte: 1, $lt: 5}}`: all operators hold for one element. Documents in arrays are `filterParts`' task. */
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

function isTruthy(value: Value): boolean {
  return isNumber(value) ? toDouble(value) !== 0 : value !== false && value !== null && value !== undefined
}

function regexOf(operand: Value, options: Value): BSONRegExp {
  const flags = typeof options === 'string' ? options : ''
  if (operand instanceof BSONRegExp) return new BSONRegExp(operand.pattern, flags || operand.options)
  return new BSONRegExp(typeof operand === 'string' ? operand : '', flags)
}

/** A regular expression also matches a stored one that is equal to it. */
function regexKeys(regex: BSONRegExp): Intervals {
  const prefix = regex.options === '' ? literalPrefix(regex.pattern) : ''
  const start = Buffer.concat([Buffer.of(keyClasses.string), Buffer.from(prefix)])
  return [{ lo: start, hi: successor(start) }, point(encodeKey(regex))]
}

/** The text that everything matched by `^text…` begins with; empty when there is none. */
export function literalPrefix(pattern: string): string {
  if (!pattern.startsWith('^') || pattern.includes('|')) return ''
  let prefix = ''
  for (let at = 1; at < pattern.length; at += 1) {
    const char = pattern[at] ?? ''
    if (/[?*{]/.test(char)) return withoutLast(prefix)
    if (/[.[\]()+^$\0]/.test(char)) return prefix
    if (char !== '\\') {
      prefix += char
      continue
    }
    at += 1
    const escaped = pattern[at] ?? ''
    if (!/[^\w\s\0]/.test(escaped)) return prefix
    prefix += escaped
  }
  return prefix
}

/** A quantifier may make the last character vanish; a half of a surrogate pair goes with its other half. */
function withoutLast(prefix: string): string {
  return [...prefix].slice(0, -1).join('')
}
