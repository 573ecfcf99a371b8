import { keyClasses } from './keys.ts'

/**
 * The smallest byte string greater than everything that begins with `prefix`; the prefix must not consist of ff only.
 */
export function successor(prefix: Uint8Array): Buffer {
  let length = prefix.length
  while (length > 0 && prefix[length - 1] === 0xff) length -= 1
  const next = Buffer.from(prefix.subarray(0, length))
  if (length > 0) next[length - 1] = (next[length - 1] ?? 0) + 1
  return next
}

/** A copy with every bit flipped, as descending index fields are stored. */
export function inverted(key: Uint8Array): Buffer {
  const copy = Buffer.from(key)
  for (let at = 0; at < copy.length; at += 1) copy[at] = ~(copy[at] ?? 0)
  return copy
}

/** The end offset of the part that begins at `at` in the joined key of a compound index. */
export function partEnd(key: Uint8Array, at: number, descending: boolean): number {
  const flip = descending ? 0xff : 0
  return contentEnd({ key, flip }, byteAt({ key, flip }, at), at + 1)
}

type StoredKey = { key: Uint8Array; flip: number }

function byteAt({ key, flip }: StoredKey, at: number): number {
  return (key[at] ?? 0) ^ flip
}

function contentEnd(stored: StoredKey, keyClass: number, at: number): number {
  switch (keyClass) {
    case keyClasses.int:
      return numberEnd(stored, at)
    case keyClasses.string:
      return textEnd(stored, at)
    case keyClasses.object:
      return fieldsEnd(stored, at)
    case keyClasses.array:
      return elementsEnd(stored, at)
    case keyClasses.binData:
      return at + 5 + readUint32(stored, at)
    case keyClasses.objectId:
      return at + 12
    case keyClasses.bool:
      return at + 1
    case keyClasses.date:
      return at + 8
    case keyClasses.regex:
      return textEnd(stored, textEnd(stored, at))
    default:
      return at
  }
}

function numberEnd(stored: StoredKey, at: number): number {
  // Negative numbers are inverted once more (NaN, all zeros, ends in a plain 00).
  const negative = byteAt(stored, at) < 0x80 && !isNaNKey(stored, at)
  const signed = negative ? { key: stored.key, flip: stored.flip ^ 0xff } : stored
  let end = at + 8
  if (byteAt(signed, end) === 0) return end + 1
  end += 3
  while (byteAt(signed, end) !== 0) end += 1
  return end + 1
}

function isNaNKey(stored: StoredKey, at: number): boolean {
  for (let i = at; i < at + 8; i += 1) if (byteAt(stored, i) !== 0) return false
  return true
}

function textEnd(stored: StoredKey, from: number): number {
  const zero = stored.flip
  let at = stored.key.indexOf(zero, from)
  while (byteAt(stored, at + 1) === 0xff && at >= 0) at = stored.key.indexOf(zero, at + 2)
  return at + 2
}

function fieldsEnd(stored: StoredKey, from: number): number {
  let at = from
  for (let keyClass = byteAt(stored, at); keyClass !== 0; keyClass = byteAt(stored, at)) {
    at = contentEnd(stored, keyClass, textEnd(stored, at + 1))
  }
  return at + 1
}

function elementsEnd(stored: StoredKey, from: number): number {
  let at = from
  for (let keyClass = byteAt(stored, at); keyClass !== 0; keyClass = byteAt(stored, at)) {
    at = contentEnd(stored, keyClass, at + 1)
  }
  return at + 1
}

function readUint32(stored: StoredKey, at: number): number {
  let value = 0
  for (let i = at; i < at + 4; i += 1) value = value * 256 + byteAt(stored, i)
  return value
}
