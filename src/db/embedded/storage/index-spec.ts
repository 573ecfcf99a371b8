import { Int32 } from 'bson'
import { isNumber, toDouble } from '../bson/numbers.ts'
import { arrayIndex } from '../bson/path.ts'
import { asDoc } from '../bson/values.ts'
import type { Doc, Value } from '../bson/values.ts'
import { CommandError } from '../errors/command-error.ts'
import { filterRoots } from '../query/filter-parts.ts'
import { compileFilter } from '../query/match.ts'
import { keyFields } from './index-keys.ts'
import type { KeyField } from './index-keys.ts'

/** An index. Its entries are in the table `i<id>`; those of `_id` are in the collection's own table. */
export type Index = {
  readonly id: number
  readonly isId: boolean
  readonly name: string
  /** The stored specification, which `listCollections` shows for `_id`. */
  readonly spec: Doc
  readonly key: Doc
  readonly fields: readonly KeyField[]
  readonly unique: boolean
  readonly sparse: boolean
  /** Documents are deleted once the date in the first field is older than this many seconds. */
  readonly expireAfterSeconds: number | undefined
  readonly partial: { filter: Doc; test: (doc: Doc) => boolean } | undefined
  /** The top-level fields that determine a document's entries. */
  readonly roots: ReadonlySet<string>
  /** Bit i is set once field i has gone through an array in any document. */
  multikey: number
}

/** The index on `_id` of a collection; `id` is the collection's. */
export function idIndex(id: number): Index {
  const key = { _id: new Int32(1) }
  const index = indexFrom({ id, spec: { v: new Int32(2), key, name: '_id_' }, multikey: 0 })
  return { ...index, isId: true, unique: true }
}

/** Creates an index from a stored, already checked specification. */
export function indexFrom({ id, spec, multikey }: { id: number; spec: Doc; multikey: number }): Index {
  const key = asDoc(spec['key']) ?? {}
  const fields = keyFields(Object.entries(key).map(([path, direction]) => [path, numberOf(direction)]))
  const filter = asDoc(spec['partialFilterExpression'])
  const roots = filterRoots(filter ?? {})
  for (const { parts } of fields) roots.add(parts[0] ?? '')
  return {
    id,
    isId: false,
    name: String(spec['name']),
    spec,
    key,
    fields,
    unique: spec['unique'] === true,
    sparse: spec['sparse'] === true,
    expireAfterSeconds: isNumber(spec['expireAfterSeconds']) ? toDouble(spec['expireAfterSeconds']) : undefined,
    partial: filter && { filter, test: compileFilter(filter) },
    roots,
    multikey,
  }
}

function numberOf(value: Value): number {
  return isNumber(value) ? toDouble(value) : Number.NaN
}

/** The options of `createIndexes`; others are refused (InvalidIndexSpecificationOption). */
export const indexOptions: readonly string[] = [
  'key',
  'name',
  'unique',
  'sparse',
  'expireAfterSeconds',
  'partialFilterExpression',
]

const maxFields = 32

/** Checks one member of `createIndexes.indexes` and returns it in its stored form. */
export function parseIndexSpec(input: Value): Doc {
  const spec = asDoc(input)
  if (!spec) throw new CommandError('TypeMismatch', 'each index must be an object')
  const key = asDoc(spec['key'])
  if (!key) throw new CommandError('FailedToParse', "The 'key' field is a required property of an index specification")
  for (const name of Object.keys(spec)) checkOption(name)
  if (typeof spec['name'] !== 'string' || spec['name'] === '') {
    throw new CommandError('FailedToParse', "The 'name' field is a required property of an index specification")
  }
  if (spec['name'] === '*' || spec['name'].includes('\0'))
    throw new CommandError('BadValue', `invalid index name ${spec['name']}`)
  checkKey(key)
  const stored: Doc = { v: new Int32(2), key, name: spec['name'] }
  if (isTrue(spec, 'unique')) stored['unique'] = true
  if (isTrue(spec, 'sparse')) stored['sparse'] = true
  if (spec['expireAfterSeconds'] !== undefined)
    stored['expireAfterSeconds'] = checkExpiry(spec['expireAfterSeconds'], key)
  if (spec['partialFilterExpression'] !== undefined) {
    stored['partialFilterExpression'] = checkPartial(spec['partialFilterExpression'], stored)
  }
  return stored
}

function checkOption(name: string): void {
  if (indexOptions.includes(name)) return
  const message = `The field '${name}' is not valid for an index specification.`
  throw new CommandError('InvalidIndexSpecificationOption', message)
}

function checkKey(key: Doc): void {
  const entries = Object.entries(key)
  if (entries.length === 0) throw new CommandError('CannotCreateIndex', 'Index keys cannot be an empty object')
  if (entries.length > maxFields)
    throw new CommandError('CannotCreateIndex', `more than ${maxFields} fields in an index`)
  for (const [path, direction] of entries) {
    const parts = path.split('.')
    if (parts.some((part) => part === '' || part.startsWith('$'))) {
      throw new CommandError('CannotCreateIndex', `Index keys cannot contain the field '${path}'`)
    }
    if (parts.some((part) => arrayIndex(part) >= 0)) {
      throw new CommandError('CannotCreateIndex', `Index keys with array positions are not supported: '${path}'`)
    }
    if (typeof direction === 'string') {
      throw new CommandError('CannotCreateIndex', `Unknown or unsupported index plugin '${direction}'`)
    }
    const number = numberOf(direction)
    if (Number.isNaN(number) || number === 0) {
      throw new CommandError('CannotCreateIndex', `Values in index key pattern must be non-zero numbers: '${path}'`)
    }
  }
}

function isTrue(spec: Doc, name: string): boolean {
  const value = spec[name]
  if (value === undefined || typeof value === 'boolean') return value === true
  if (isNumber(value)) return toDouble(value) !== 0
  throw new CommandError('TypeMismatch', `The field '${name}' has value with the wrong type, expected bool`)
}

function checkExpiry(value: Value, key: Doc): Value {
  const seconds = numberOf(value)
  if (!isNumber(value)) throw new CommandError('TypeMismatch', "TTL index 'expireAfterSeconds' option must be numeric")
  if (!(seconds >= 0 && seconds <= 2 ** 31 - 1)) {
    throw new CommandError('CannotCreateIndex', `TTL index 'expireAfterSeconds' must be within 0 and ${2 ** 31 - 1}`)
  }
  const names = Object.keys(key)
  if (names.length !== 1 || names[0] === '_id') {
    throw new CommandError('CannotCreateIndex', 'TTL indexes are single-field indexes on a field other than _id')
  }
  return value
}

/** Checks a partial filter. It may only compare fields with given texts, numbers or booleans. */
function checkPartial(value: Value, stored: Doc): Doc {
  const filter = asDoc(value)
  if (!filter) throw new CommandError('TypeMismatch', "'partialFilterExpression' must be an object")
  if (stored['sparse'] === true) {
    throw new CommandError('CannotCreateIndex', 'cannot mix "partialFilterExpression" and "sparse" options')
  }
  for (const [name, expected] of Object.entries(filter)) {
    const plain = typeof expected === 'string' || typeof expected === 'boolean' || isNumber(expected)
    if (name.startsWith('$') || !plain) {
      throw new CommandError('CannotCreateIndex', `Expression not supported in partial index: ${name}`)
    }
  }
  return filter
}
