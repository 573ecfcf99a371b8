import { Decimal128, Double, Int32 } from 'bson'
import { decimalOf, decimalOfDouble } from './decimal.ts'
import type { Decimal } from './decimal.ts'
import { isNumber } from './numbers.ts'
import type { Numeric } from './numbers.ts'
import { asDoc, typeOf, typeRank } from './compare.ts'
import type { Value } from './compare.ts'

/** A text that is the same for two values exactly when they are equal in the BSON order. */
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

/** The length goes first, so that no text can look like the end of another. */
function textKey(text: string): string {
  return `15:${text.length}:${text}`
}

function numberKey(value: Numeric): string {
  if (value instanceof Decimal128) return decimalKey(decimalOf(value))
  if (!(value instanceof Double)) return value.toString()
  const { value: number } = value
  if (Number.isSafeInteger(number)) return String(number + 0)
  return decimalKey(decimalOfDouble(number))
}

function decimalKey(value: Decimal): string {
  if (value.kind === 'nan') return 'NaN'
  if (value.kind === 'infinite') return value.sign > 0 ? 'Infinity' : '-Infinity'
  let { coefficient, exponent } = value
  if (coefficient === 0n) return '0'
  while (exponent < 0 && coefficient % 10n === 0n) {
    coefficient /= 10n
    exponent += 1
  }
  return exponent < 0 ? `${coefficient}E${exponent}` : String(coefficient * 10n ** BigInt(exponent))
}
