import { asDoc, fieldOf, setField } from '../bson/compare.ts'
import type { Doc, Value } from '../bson/compare.ts'

/** A copy of the document with the value at the path, or without the field if it is undefined. */
export function withValue(doc: Doc, [name = '', ...rest]: string[], value: Value): Doc {
  const copy = { ...doc }
  const after = rest.length === 0 ? value : withValue(asDoc(fieldOf(doc, name)) ?? {}, rest, value)
  if (after === undefined) delete copy[name]
  else setField(copy, name, after)
  return copy
}
