import { fixed, isNullish, nullable, operands } from './frame.ts'
import type { Compiler, Expression, Operators } from './frame.ts'
import { CommandError } from '../errors/command-error.ts'
import { asDoc, fieldOf, setField, typeOf } from '../bson/compare.ts'
import type { Doc, Value } from '../bson/compare.ts'

/** Operators on documents. */
export const objects: Operators = {
  $objectToArray: fixed(
    1,
    nullable(([value]) => pairs(value)),
  ),
  $arrayToObject: fixed(
    1,
    nullable(([value]) => assembled(value)),
  ),
  $mergeObjects: (argument, compiler) => {
    const parts = operands(argument).map((part) => compiler.compile(part))
    return (frame) => {
      const values = parts.map((part) => part(frame))
      const [only] = values
      return mergedDocs(values.length === 1 && Array.isArray(only) ? only : values)
    }
  },
  $getField: getField,
}

function pairs(value: Value): Value[] {
  const doc = asDoc(value)
  if (!doc) throw new CommandError('Location40390', `$objectToArray requires a document input, found: ${typeOf(value)}`)
  return Object.keys(doc).map((name) => ({ k: name, v: doc[name] }))
}

function assembled(value: Value): Doc {
  if (!Array.isArray(value)) {
    throw new CommandError('Location40386', `$arrayToObject requires an array input, found: ${typeOf(value)}`)
  }
  const made: Doc = {}
  for (const entry of value) {
    const [name, field] = pairOf(entry)
    if (name.includes('\0')) throw new CommandError('Location4940400', 'Key field cannot contain an embedded null byte')
    setField(made, name, field)
  }
  return made
}

function pairOf(entry: Value): [string, Value] {
  const doc = asDoc(entry)
  if (!doc && !Array.isArray(entry)) {
    throw new CommandError('Location40398', `Unrecognised input type format for $arrayToObject: ${typeOf(entry)}`)
  }
  if (Array.isArray(entry) && entry.length !== 2) {
    throw new CommandError(
      'Location40397',
      `$arrayToObject requires an array of size 2 arrays, found array of size: ${entry.length}`,
    )
  }
  if (doc && (Object.keys(doc).length !== 2 || !Object.hasOwn(doc, 'k') || !Object.hasOwn(doc, 'v'))) {
    throw new CommandError('Location40392', "$arrayToObject requires an object keys of 'k' and 'v'")
  }
  const [name, value] = Array.isArray(entry) ? entry : [doc?.k, doc?.v]
  if (typeof name !== 'string') {
    const code = doc ? 'Location40394' : 'Location40395'
    throw new CommandError(code, `$arrayToObject requires keys of type string, but the type found was: ${typeOf(name)}`)
  }
  return [name, value]
}

/** Merges documents, later fields over earlier ones; null and missing count as empty. */
export function mergedDocs(values: readonly Value[]): Doc {
  const made: Doc = {}
  for (const value of values) {
    if (isNullish(value)) continue
    const doc = asDoc(value)
    if (!doc)
      throw new CommandError(
        'Location40400',
        `$mergeObjects requires object inputs, but input is of type ${typeOf(value)}`,
      )
    for (const name of Object.keys(doc)) setField(made, name, doc[name])
  }
  return made
}

function getField(argument: Value, compiler: Compiler): Expression {
  const doc = asDoc(argument)
  const long = doc !== undefined && (Object.hasOwn(doc, 'field') || Object.hasOwn(doc, 'input'))
  if (long && (Object.keys(doc).length !== 2 || !Object.hasOwn(doc, 'field') || !Object.hasOwn(doc, 'input'))) {
    throw new CommandError('Location3041702', "$getField requires 'field' and 'input' to be specified")
  }
  const field = compiler.compile(long ? doc.field : argument)
  const input = compiler.compile(long ? doc.input : '$$CURRENT')
  return (frame) => {
    const name = field(frame)
    if (typeof name !== 'string') {
      throw new CommandError(
        'Location3041704',
        `$getField requires 'field' to evaluate to type String, but got ${typeOf(name)}`,
      )
    }
    const value = input(frame)
    const from = asDoc(value)
    return from ? fieldOf(from, name) : isNullish(value) ? value : undefined
  }
}
