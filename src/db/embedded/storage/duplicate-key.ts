import { Binary, BSONRegExp, Double, Int32, Long, ObjectId } from 'bson'
import { isNumber, toDouble } from '../bson/numbers.ts'
import { asDoc } from '../bson/values.ts'
import type { Doc, Value } from '../bson/values.ts'
import { CommandError } from '../errors/command-error.ts'
import { compoundKeys } from '../query/sort.ts'
import { indexKeys } from './index-keys.ts'
import type { Index } from './index-spec.ts'

type Violation = { ns: string; index: Index | undefined; doc: Doc; key: Buffer | undefined }

/** Code 11000 with MongoDB's message, `keyPattern` and `keyValue`. */
export class DuplicateKeyError extends CommandError {
  readonly keyPattern: Doc
  readonly keyValue: Doc

  constructor({ ns, index, doc, key }: Violation) {
    const keyPattern = index?.key ?? {}
    const keyValue = valueOfKey(doc, keyPattern, key)
    const name = index?.name ?? '_id_'
    super(
      'DuplicateKey',
      `E11000 duplicate key error collection: ${ns} index: ${name} dup key: ${formatValue(keyValue)}`,
    )
    this.keyPattern = keyPattern
    this.keyValue = keyValue
  }
}

/** The values of the key; if arrays give several combinations, the one with these bytes. */
function valueOfKey(doc: Doc, pattern: Doc, key: Buffer | undefined): Doc {
  const paths = Object.keys(pattern)
  const candidates = compoundKeys(
    doc,
    paths.map((path) => path.split('.')),
  ).map((values) => Object.fromEntries<Value>(paths.map((path, i) => [path, values[i]])))
  if (!key) return candidates[0] ?? {}
  const fields = paths.map((path) => ({ path, parts: [path], descending: isDescending(pattern[path]) }))
  return (
    candidates.find((values) => indexKeys(values, fields).keys.some((made) => made.equals(key))) ?? candidates[0] ?? {}
  )
}

function isDescending(direction: Value): boolean {
  return isNumber(direction) && toDouble(direction) < 0
}

/** Formats a value like MongoDB's server in messages. */
function formatValue(value: Value): string {
  if (value === undefined) return 'undefined'
  if (typeof value === 'string') return JSON.stringify(value)
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[ ${value.map(formatValue).join(', ')} ]`
  if (value instanceof ObjectId) return `ObjectId('${value.toHexString()}')`
  if (value instanceof Date) return `new Date(${value.getTime()})`
  if (value instanceof Int32 || value instanceof Long) return value.toString()
  if (value instanceof Double) return Number.isInteger(value.value) ? value.value.toFixed(1) : String(value.value)
  if (value instanceof Binary) return `BinData(${value.sub_type}, ${value.toString('hex').toUpperCase()})`
  if (value instanceof BSONRegExp) return `/${value.pattern}/${value.options}`
  const doc = asDoc(value)
  if (!doc) return String(value)
  const fields = Object.entries(doc).map(([name, field]) => `${name}: ${formatValue(field)}`)
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}
