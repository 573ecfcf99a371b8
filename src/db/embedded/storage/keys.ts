import type { Binary, BSONRegExp, ObjectId } from 'bson'
import type { Numeric } from '../bson/numbers.ts'
import { asDoc, typeOf } from '../bson/values.ts'
import type { BsonTypeName, Doc, Value } from '../bson/values.ts'
import { keyWriter, reserve, writeByte, writeBytes, writeText, written } from './key-writer.ts'
import type { KeyWriter } from './key-writer.ts'
import { writeNumber } from './number-keys.ts'

/*
 * Index keys: bytes in the order of `compareValues`. A key begins with the class of its type. Keys are prefix-free, so
 * they can be joined (compound indexes), inverted (descending fields) and split again.
 */

/**
 * The first byte of every key of a type; types that compare with each other share it. Bytes are part of the file
 * format.
 */
export const keyClasses: Record<BsonTypeName, number> = {
  missing: 0x04,
  null: 0x06,
  int: 0x10,
  double: 0x10,
  long: 0x10,
  string: 0x18,
  object: 0x20,
  array: 0x28,
  binData: 0x30,
  objectId: 0x38,
  bool: 0x40,
  date: 0x48,
  regex: 0x58,
}

/** The key of one value. */
export function encodeKey(value: Value): Buffer {
  const writer = keyWriter()
  writeKey(writer, value)
  return written(writer)
}

/** Appends the key of one value. */
export function writeKey(writer: KeyWriter, value: Value): void {
  const type = typeOf(value)
  writeByte(writer, keyClasses[type])
  writeContent(writer, type, value)
}

function writeContent(writer: KeyWriter, type: BsonTypeName, value: Value): void {
  switch (keyClasses[type]) {
    case keyClasses.int:
      return writeNumber(writer, value as Numeric)
    case keyClasses.string:
      return writeText(writer, value as string)
    case keyClasses.object:
      return writeFields(writer, asDoc(value) ?? {})
    case keyClasses.array:
      return writeElements(writer, value as Value[])
    case keyClasses.binData:
      return writeBinary(writer, value as Binary)
    case keyClasses.objectId:
      return writeBytes(writer, (value as ObjectId).id)
    case keyClasses.bool:
      return writeByte(writer, value === true ? 1 : 0)
    case keyClasses.date:
      return writeDate(writer, value as Date)
    case keyClasses.regex:
      writeText(writer, (value as BSONRegExp).pattern)
      return writeText(writer, (value as BSONRegExp).options)
    default:
  }
}

/** Embedded documents compare field by field: type, then name, then value. */
function writeFields(writer: KeyWriter, doc: Doc): void {
  for (const [name, value] of Object.entries(doc)) {
    const type = typeOf(value)
    writeByte(writer, keyClasses[type])
    writeText(writer, name)
    writeContent(writer, type, value)
  }
  writeByte(writer, 0)
}

function writeElements(writer: KeyWriter, array: readonly Value[]): void {
  for (const value of array) writeKey(writer, value)
  writeByte(writer, 0)
}

function writeBinary(writer: KeyWriter, value: Binary): void {
  const bytes = value.value()
  const at = reserve(writer, 5)
  writer.bytes.writeUInt32BE(bytes.length, at)
  writer.bytes[at + 4] = value.sub_type
  writeBytes(writer, bytes)
}

function writeDate(writer: KeyWriter, value: Date): void {
  const at = reserve(writer, 8)
  writer.bytes.writeBigUInt64BE(BigInt(value.getTime()) + (1n << 63n), at)
}
