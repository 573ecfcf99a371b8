import { BSONRegExp, ObjectId } from 'bson'
import { asBuffer, checkDocument, decodeFields, elements, encode } from '../bson/bytes.ts'
import { asDoc } from '../bson/values.ts'
import type { Doc, Value } from '../bson/values.ts'
import { CommandError } from '../errors/command-error.ts'
import { maxDocumentBytes } from './limits.ts'

/** A document to be stored: its bytes with `_id` as their first field. */
export type NewDocument = { id: Value; bytes: Uint8Array }

const idOnly = new Set(['_id'])

/**
 * Checks a client's document and moves `_id` to the front, generating one if it is missing. All other bytes stay
 * unchanged.
 */
export function newDocument(raw: Uint8Array): NewDocument {
  const bytes = asBuffer(raw)
  if (bytes.length > maxDocumentBytes) {
    const message = `object to insert too large. size in bytes: ${bytes.length}, max size: ${maxDocumentBytes}`
    throw new CommandError('BSONObjectTooLarge', message)
  }
  if (checkDocument(bytes) !== bytes.length)
    throw new CommandError('InvalidBSON', 'Invalid BSON: bytes behind the document')
  const all = [...elements(bytes)]
  const at = all.findIndex(({ name }) => name === '_id')
  if (at < 0) return withNewId(bytes)
  const { _id: id } = decodeFields(bytes, idOnly)
  checkId(id)
  const own = all[at]
  if (at === 0 || !own) return { id, bytes }
  const moved = [bytes.subarray(0, 4), bytes.subarray(own.start, own.end), bytes.subarray(4, own.start)]
  return { id, bytes: Buffer.concat([...moved, bytes.subarray(own.end)]) }
}

function withNewId(bytes: Buffer): NewDocument {
  const id = new ObjectId()
  const field = encode({ _id: id }).subarray(4, -1)
  const length = Buffer.alloc(4)
  length.writeInt32LE(bytes.length + field.length)
  return { id, bytes: Buffer.concat([length, field, bytes.subarray(4)]) }
}

function checkId(id: Value): void {
  if (id === undefined) throw new CommandError('InvalidIdField', "The '_id' value cannot be of type undefined")
  if (Array.isArray(id)) throw new CommandError('InvalidIdField', "The '_id' value cannot be of type array")
  if (id instanceof BSONRegExp) throw new CommandError('InvalidIdField', "The '_id' value cannot be of type regex")
  const dollar = Object.keys(asDoc(id) ?? {}).find((name) => name.startsWith('$'))
  if (dollar !== undefined) {
    const message = `The dollar ($) prefixed field '${dollar}' in '_id.${dollar}' is not valid for storage.`
    throw new CommandError('DollarPrefixedFieldName', message)
  }
}

/** The bytes of an updated document: `_id` first, generated if missing. Refuses a document that is too large. */
export function updatedDocument(doc: Doc): NewDocument {
  const { _id: own, ...rest } = doc
  const id = own === undefined ? new ObjectId() : own
  checkId(id)
  const bytes = encode(Object.keys(doc)[0] === '_id' && own !== undefined ? doc : { _id: id, ...rest })
  if (bytes.length > maxDocumentBytes) {
    const message = `Resulting document after update is larger than ${maxDocumentBytes}`
    throw new CommandError('BSONObjectTooLarge', message)
  }
  return { id, bytes }
}
