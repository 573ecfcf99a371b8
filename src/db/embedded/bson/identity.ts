import { Double, Int32, Long } from 'bson'
import { compareValues } from './compare.ts'
import { asDoc, typeOf } from './values.ts'
import type { Doc, Value } from './values.ts'

/** True if both values are stored as the same bytes: same types, same field order, -0 distinct from 0. */
export function identicalValues(a: Value, b: Value): boolean {
  if (a === b) return true
  if (typeOf(a) !== typeOf(b)) return false
  if (a instanceof Int32 && b instanceof Int32) return a.value === b.value
  if (a instanceof Double && b instanceof Double) return Object.is(a.value, b.value)
  if (a instanceof Long && b instanceof Long) return a.equals(b)
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((element, i) => identicalValues(element, b[i]))
  }
  const [left, right] = [asDoc(a), asDoc(b)]
  return left && right ? identicalDocs(left, right) : compareValues(a, b) === 0
}

function identicalDocs(a: Doc, b: Doc): boolean {
  const names = Object.keys(a)
  const others = Object.keys(b)
  return (
    names.length === others.length && names.every((name, i) => name === others[i] && identicalValues(a[name], b[name]))
  )
}
