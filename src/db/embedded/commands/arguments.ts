import { isNumber, toExactInteger } from '../bson/numbers.ts'
import { asDoc, typeOf } from '../bson/values.ts'
import type { Doc, Value } from '../bson/values.ts'
import { CommandError } from '../errors/command-error.ts'

/** A document with named arguments: a command or one of its statements. `name` identifies it in messages. */
export type Arguments = { name: string; doc: Doc }

function wrongType({ name, doc }: Arguments, field: string, expected: string): CommandError {
  const message = `BSON field '${name}.${field}' is the wrong type '${typeOf(doc[field])}', expected type '${expected}'`
  return new CommandError('TypeMismatch', message)
}

function missing({ name }: Arguments, field: string): CommandError {
  return new CommandError('IDLFailedToParse', `BSON field '${name}.${field}' is missing but a required field`)
}

/** Refuses a field that is not in `known`, like MongoDB does for each command. */
export function refuseUnknown({ name, doc }: Arguments, known: readonly string[]): void {
  const unknown = Object.keys(doc).find((field) => !known.includes(field))
  if (unknown !== undefined) {
    throw new CommandError('IDLUnknownField', `BSON field '${name}.${unknown}' is an unknown field.`)
  }
}

/** A document, or undefined if the field is absent. */
export function optionalDoc(from: Arguments, field: string): Doc | undefined {
  const value = from.doc[field]
  if (value === undefined || value === null) return undefined
  const doc = asDoc(value)
  if (!doc) throw wrongType(from, field, 'object')
  return doc
}

/** A document; refuses an absent field. */
export function requiredDoc(from: Arguments, field: string): Doc {
  const doc = optionalDoc(from, field)
  if (!doc) throw missing(from, field)
  return doc
}

/** An array, or undefined if the field is absent. */
export function optionalArray(from: Arguments, field: string): Value[] | undefined {
  const value = from.doc[field]
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value)) throw wrongType(from, field, 'array')
  return value
}

/** An array of documents, or undefined if the field is absent. */
export function optionalDocs(from: Arguments, field: string): Doc[] | undefined {
  return optionalArray(from, field)?.map((value) => {
    const doc = asDoc(value)
    if (!doc) throw wrongType(from, field, 'object')
    return doc
  })
}

/** An array of documents; refuses an absent field. */
export function requiredDocs(from: Arguments, field: string): Doc[] {
  const docs = optionalDocs(from, field)
  if (!docs) throw missing(from, field)
  return docs
}

/** A flag: true for booleans that are true and for numbers other than 0. Default: `absent`. */
export function flag(from: Arguments, field: string, absent = false): boolean {
  const value = from.doc[field]
  if (value === undefined || value === null) return absent
  if (typeof value === 'boolean') return value
  if (isNumber(value)) return toExactInteger(value) !== 0n
  throw wrongType(from, field, 'bool')
}

/** A non-negative integer, or undefined if absent. */
export function optionalCount(from: Arguments, field: string): number | undefined {
  const value = from.doc[field]
  if (value === undefined || value === null) return undefined
  if (!isNumber(value)) throw wrongType(from, field, 'long')
  const count = toExactInteger(value)
  if (count === undefined) throw wrongType(from, field, 'long')
  if (count < 0n) {
    const message = `BSON field '${field}' value must be >= 0, actual value '${count}'`
    throw new CommandError('BadValue', message)
  }
  return Number(count)
}

/** A non-empty text; refuses an absent or empty field. */
export function requiredText(from: Arguments, field: string): string {
  const value = from.doc[field]
  if (value === undefined) throw missing(from, field)
  if (typeof value !== 'string') throw wrongType(from, field, 'string')
  return value
}
