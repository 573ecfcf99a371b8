import { hash } from 'node:crypto'
import { BSON, type Db } from 'mongodb'

/** Decoding options that keep the class of every BSON type, so that encoding restores the same document. */
export const untouched = {
  promoteValues: false,
  promoteLongs: false,
  promoteBuffers: false,
  bsonRegExp: true,
} as const

/** The number of rows and one hash over all of them, independent of their order. */
export interface Sum {
  count: number
  /** The sum of the SHA-256 of all rows modulo 2^256, hexadecimal, 64 characters. */
  hash: string
}

export interface Summing {
  add(row: Uint8Array): void
  value(): Sum
}

const modulus = 1n << 256n

/** Sums up rows. */
export function sumUp(): Summing {
  let [count, total] = [0, 0n]
  return {
    add(row) {
      count += 1
      total = (total + BigInt(`0x${hash('sha256', row, 'hex')}`)) % modulus
    },
    value: () => ({ count, hash: total.toString(16).padStart(64, '0') }),
  }
}

/** Inserts documents, encoded as BSON, in one command. */
export async function insertDocuments(db: Db, collection: string, documents: readonly Uint8Array[]): Promise<void> {
  const decoded = documents.map((document) => BSON.deserialize(document, untouched))
  await db.command({ insert: collection, documents: decoded, ordered: true })
}

/** The documents of a collection as BSON, with their fields in the order in which JavaScript reads and writes them. */
export async function* readDocuments(cursor: AsyncIterable<BSON.Document>): AsyncGenerator<Uint8Array> {
  for await (const document of cursor) yield BSON.serialize(document, { ignoreUndefined: false })
}

/** Calculates the sum of a stored collection. */
export async function sumCollection(db: Db, collection: string): Promise<Sum> {
  const summing = sumUp()
  for await (const document of readDocuments(db.collection(collection).find({}, untouched))) summing.add(document)
  return summing.value()
}
