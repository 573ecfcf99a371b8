import { Double, Long } from 'bson'
import { encode } from '../bson/bytes.ts'
import type { Doc } from '../bson/values.ts'

/** The reply of a command: a document to encode, or its BSON bytes. */
export type Reply = Doc | Uint8Array

/** Stored documents that are copied into a reply without decoding. */
export class Raw {
  readonly bytes: Uint8Array
  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
}

/** The BSON bytes of a document in which some top-level fields are raw documents. */
export function encodeWithRaw(fields: readonly (readonly [name: string, value: unknown])[]): Uint8Array {
  const parts = fields.map(([name, value]) =>
    value instanceof Raw ? rawElement(name, value.bytes) : encode({ [name]: value } as Doc).subarray(4, -1),
  )
  return join(parts)
}

/** The reply of `find`, `aggregate` and `getMore`. Stored bytes are copied once, directly to their position. */
export function cursorReply(cursor: { id: bigint; ns: string; batch: 'firstBatch' | 'nextBatch' }, docs: Uint8Array[]) {
  const meta = encode({ id: Long.fromBigInt(cursor.id), ns: cursor.ns }).subarray(4, -1)
  const body = join([rawArray(cursor.batch, docs), meta])
  return join([rawElement('cursor', body), encode({ ok: new Double(1) }).subarray(4, -1)])
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const size = parts.reduce((sum, part) => sum + part.length, 5)
  const out = Buffer.allocUnsafe(size)
  let at = out.writeInt32LE(size, 0)
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  out[at] = 0
  return out
}

function rawElement(name: string, bytes: Uint8Array): Uint8Array {
  const nameSize = Buffer.byteLength(name)
  const out = Buffer.allocUnsafe(2 + nameSize + bytes.length)
  out[0] = 0x03
  out.write(name, 1)
  out[1 + nameSize] = 0
  out.set(bytes, 2 + nameSize)
  return out
}

function rawArray(name: string, docs: readonly Uint8Array[]): Uint8Array {
  const nameSize = Buffer.byteLength(name)
  let size = 5
  for (let i = 0; i < docs.length; i += 1) size += 2 + String(i).length + (docs[i]?.length ?? 0)
  const out = Buffer.allocUnsafe(2 + nameSize + size)
  out[0] = 0x04
  out.write(name, 1)
  out[1 + nameSize] = 0
  let at = out.writeInt32LE(size, 2 + nameSize)
  for (const [i, doc] of docs.entries()) {
    out[at] = 0x03
    at += 1 + out.write(String(i), at + 1, 'latin1')
    out[at] = 0
    out.set(doc, at + 1)
    at += 1 + doc.length
  }
  out[at] = 0
  return out
}
