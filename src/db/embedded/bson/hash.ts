import { Double, Int32 } from 'bson'
import { isNumber } from './numbers.ts'
import type { Numeric } from './numbers.ts'
import { asDoc, typeOf, typeRank } from './values.ts'
import type { Value } from './values.ts'

/** Returns the same text for two values exactly if they are equal in the BSON order. */
export function hashKey(value: Value): string {
  if (typeof value === 'string') return textKey(value)
  if (value instanceof Int32) return `10:${value.value}`
  const rank = typeRank(value)
  if (isNumber(value)) return `${rank}:${numberKey(value)}`
  if (Array.isArray(value)) return `${rank}[${value.map(hashKey).join()}]`
  const doc = asDoc(value)
  if (doc) {
    return `${rank}{${Object.keys(doc)
      .map((name) => `${textKey(name)}${hashKey(doc[name])}`)
      .join()}}`
  }
  if (value instanceof Date) return `${rank}:${value.getTime()}`
  return `${rank}:${typeOf(value)}${JSON.stringify(value)}`
}

/** A text with its length as a prefix, so that concatenated keys are unambiguous. */
function textKey(text: string): string {
  return `15:${text.length}:${text}`
}

/** Whole numbers are written exactly, whatever their type; other doubles in the shortest unambiguous form. */
function numberKey(value: Numeric): string {
  if (!(value instanceof Double)) return value.toString()
  return Number.isInteger(value.value) ? String(BigInt(value.value)) : String(value.value)
}
