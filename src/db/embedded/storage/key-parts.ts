import { keyClasses } from './keys.ts'

/** The smallest bytes above everything that begins with `prefix`; the prefix must not be all ff. */
export function successor(prefix: Uint8Array): Buffer {
  let length = prefix.length
  while (length > 0 && prefix[length - 1] === 0xff) length -= 1
  const next = Buffer.from(prefix.subarray(0, length))
  if (length > 0) next[length - 1] = (next[length - 1] ?? 0) + 1
  return next
}

/** A copy with every byte flipped, as descending index fields are stored. */
export function inverted(key: Uint8Array): Buffer {
  const copy = Buffer.from(key)
  for (let at = 0; at < copy.length; at += 1) copy[at] = ~(copy[at] ?? 0)
  return copy
}

/** Where the part that begins at `at` ends, inside the joined key of a compound index. */
export function partEnd(key: Uint8Array, at: number, descending: boolean): number {
  const flip = descending ? 0xff : 0
  return contentEnd({ key, flip }, byteAt({ key, flip }, at), at + 1)
}

type Cut = { key: Uint8Array; flip: number }

function byteAt({ key, flip }: Cut, at: number): number {
  return (key[at] ?? 0) ^ flip
}

function contentEnd(cut: Cut, keyClass: number, at: number): number {
  switch (keyClass) {
    case keyClasses.int:
      return numberEnd(cut, at)
    case keyClasses.string:
    case keyClasses.javascript:
      return textEnd(cut, at)
    case keyClasses.object:
      return fieldsEnd(cut, at)
    case keyClasses.array:
      return elementsEnd(cut, at)
    case keyClasses.binData:
      return at + 5 + readUint32(cut, at)
    case keyClasses.objectId:
      return at + 12
    case keyClasses.bool:
      return at + 1
    case keyClasses.date:
    case keyClasses.timestamp:
      return at + 8
    case keyClasses.regex:
      return textEnd(cut, textEnd(cut, at))
    case keyClasses.javascriptWithScope:
      return fieldsEnd(cut, textEnd(cut, at))
    default:
      return at
  }
}

function numberEnd(cut: Cut, at: number): number {
  // Negative numbers are written inverted once more (and NaN, all zeros, ends in a plain 00).
  const negative = byteAt(cut, at) < 0x80 && !isNaNKey(cut, at)
  const signed = negative ? { key: cut.key, flip: cut.flip ^ 0xff } : cut
  let end = at + 8
  if (byteAt(signed, end) === 0) return end + 1
  end += 3
  while (byteAt(signed, end) !== 0) end += 1
  return end + 1
}

function isNaNKey(cut: Cut, at: number): boolean {
  for (let i = at; i < at + 8; i += 1) if (byteAt(cut, i) !== 0) return false
  return true
}

function textEnd(cut: Cut, from: number): number {
  const zero = cut.flip
  let at = cut.key.indexOf(zero, from)
  while (byteAt(cut, at + 1) === 0xff && at >= 0) at = cut.key.indexOf(zero, at + 2)
  return at + 2
}

function fieldsEnd(cut: Cut, from: number): number {
  let at = from
  for (let keyClass = byteAt(cut, at); keyClass !== 0; keyClass = byteAt(cut, at)) {
    at = contentEnd(cut, keyClass, textEnd(cut, at + 1))
  }
  return at + 1
}

function elementsEnd(cut: Cut, from: number): number {
  let at = from
  for (let keyClass = byteAt(cut, at); keyClass !== 0; keyClass = byteAt(cut, at)) {
    at = contentEnd(cut, keyClass, at + 1)
  }
  return at + 1
}

function readUint32(cut: Cut, at: number): number {
  let value = 0
  for (let i = at; i < at + 4; i += 1) value = value * 256 + byteAt(cut, i)
  return value
}
