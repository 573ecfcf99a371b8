import { FormatError } from '../format.ts'

/** The records of a Palm database, the container of MOBI and AZW3 files. */
export interface PalmDatabase {
  /** The bytes of the whole file. */
  readonly bytes: number
  /** The number of records. */
  readonly count: number
  /** The bytes of a record, from 0. Throws `BROKEN` if the record does not exist. */
  record(index: number): Buffer
}

const headerLength = 78
const typeAt = 60
const countAt = 76
const entryLength = 8

/**
 * Opens the database of a book. Throws `BROKEN` for any other file, and for records that overlap or exceed the file.
 */
export function openPalmDatabase(bytes: Uint8Array): PalmDatabase {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (file.length < headerLength || file.toString('latin1', typeAt, typeAt + 8) !== 'BOOKMOBI') {
    throw new FormatError('BROKEN', 'not a Palm database of a book')
  }
  const count = file.readUInt16BE(countAt)
  const tableEnd = headerLength + count * entryLength
  if (tableEnd > file.length) throw new FormatError('BROKEN', `${count} records in a file of ${file.length} bytes`)
  const starts = Array.from({ length: count }, (_, at) => file.readUInt32BE(headerLength + at * entryLength))
  let end = tableEnd
  for (const start of starts) {
    if (start < end || start > file.length)
      throw new FormatError('BROKEN', 'records overlap or lie outside of the file')
    end = start
  }
  return {
    bytes: file.length,
    count,
    record(index) {
      const start = starts[index]
      if (start === undefined) throw new FormatError('BROKEN', `no record ${index} of ${count}`)
      return file.subarray(start, starts[index + 1] ?? file.length)
    },
  }
}
