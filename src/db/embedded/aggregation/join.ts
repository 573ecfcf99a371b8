import { BSONRegExp } from 'bson'
import { compileExpression } from '../expressions/compile.ts'
import { frameOf } from '../expressions/frame.ts'
import type { Expression } from '../expressions/frame.ts'
import { asDoc, fieldOf, getPath } from '../bson/compare.ts'
import type { Doc, Scope, Value } from '../bson/compare.ts'

/** The filter for the documents that `$lookup` joins: equal to the local value, or to any element of a local array. */
export function joinFilter(doc: Doc, { local, foreign }: { local: string; foreign: string }): Doc {
  const values = getPath(doc, local).flatMap((value) => (Array.isArray(value) ? value : [value ?? null]))
  const [only] = values
  if (values.length <= 1) return { [foreign]: { $eq: only ?? null } }
  if (!values.some((value) => value instanceof BSONRegExp)) return { [foreign]: { $in: values } }
  return { $or: values.map((value) => ({ [foreign]: { $eq: value } })) }
}

/**
 * An index condition for a pipeline that begins with `{$match: {$expr: {$eq: ['$field', <no field>]}}}`, in `$and` or not: the
 * documents equal to the value at hand are among those it finds. The `$match` itself is still applied to them.
 */
export function prefilter(stage: Doc | undefined, scope: Scope): (() => Doc) | undefined {
  const filter = asDoc(stage && fieldOf(stage, '$match'))
  if (!filter) return undefined
  const { $expr: condition, ...plain } = filter
  const equalities = equalitiesOf(condition, scope)
  if (equalities.length === 0) return () => plainPart(plain)
  return () => {
    const conditions = equalities.flatMap(([path, expression]) => {
      const value = expression(frameOf({}, scope))
      return Array.isArray(value) || value === undefined ? [] : [{ [path]: { $eq: value } }]
    })
    return { $and: [plainPart(plain), ...conditions] }
  }
}

/** Only what cannot refer to variables of the pipeline: conditions on fields. */
function plainPart(filter: Doc): Doc {
  return Object.fromEntries(Object.entries(filter).filter(([name]) => !name.startsWith('$')))
}

function equalitiesOf(condition: Value, scope: Scope): [string, Expression][] {
  const doc = asDoc(condition)
  if (!doc) return []
  const all = fieldOf(doc, '$and')
  if (Array.isArray(all)) return all.flatMap((part) => equalitiesOf(part, scope))
  const sides = fieldOf(doc, '$eq')
  if (!Array.isArray(sides) || sides.length !== 2) return []
  const [a, b] = sides
  const [field, other] = isFieldPath(a) ? [a, b] : [b, a]
  if (
    !isFieldPath(field) ||
    typeof other !== 'string' ||
    !other.startsWith('$$') ||
    /^\$\$(?:ROOT|CURRENT)\b/.test(other)
  )
    return []
  return [[field.slice(1), compileExpression(other, scope)]]
}

function isFieldPath(value: Value): value is string {
  return typeof value === 'string' && value.startsWith('$') && !value.startsWith('$$')
}
