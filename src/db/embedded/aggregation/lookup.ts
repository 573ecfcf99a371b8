import { BSONRegExp } from 'bson'
import { getPath } from '../bson/path.ts'
import { asDoc, fieldOf, setField, typeOf } from '../bson/values.ts'
import type { Doc, Value } from '../bson/values.ts'
import { CommandError } from '../errors/command-error.ts'
import { checkPath } from '../query/projection.ts'
import type { Pipeline, StageContext } from './stage.ts'

const names = new Set(['from', 'as', 'localField', 'foreignField'])

/** `$lookup` by equal fields. The store finds the joined documents, so its indexes are used. */
export function lookup(argument: Value, { find }: StageContext): Pipeline {
  const spec = asDoc(argument)
  if (!spec) {
    const message = `the $lookup stage specification must be an object, but found ${typeOf(argument)}`
    throw new CommandError('FailedToParse', message)
  }
  const unknown = Object.keys(spec).find((name) => !names.has(name))
  if (unknown === 'let' || unknown === 'pipeline') {
    throw new CommandError('CommandNotSupported', `'${unknown}' of $lookup is not supported by this store`)
  }
  if (unknown !== undefined) throw new CommandError('FailedToParse', `unknown argument to $lookup: ${unknown}`)
  const { from, as } = { from: textFor(spec, 'from'), as: textFor(spec, 'as') }
  const { local, foreign } = { local: textFor(spec, 'localField'), foreign: textFor(spec, 'foreignField') }
  checkPath(as)
  if (as.includes('.')) {
    throw new CommandError('CommandNotSupported', "A dotted 'as' of $lookup is not supported by this store")
  }
  return function* (input) {
    for (const doc of input) {
      const made = { ...doc }
      setField(made, as, [...find(from, joinFilter(doc, { local, foreign }))])
      yield made
    }
  }
}

function textFor(spec: Doc, name: string): string {
  const value = fieldOf(spec, name)
  if (typeof value === 'string' && value !== '') return value
  throw new CommandError('FailedToParse', `$lookup argument '${name}' must be a string, is type ${typeOf(value)}`)
}

/** The filter for the documents to join: equal to the local value, or to any element of a local array. */
function joinFilter(doc: Doc, { local, foreign }: { local: string; foreign: string }): Doc {
  const values = getPath(doc, local).flatMap((value) => (Array.isArray(value) ? value : [value ?? null]))
  const [only] = values
  if (values.length <= 1) return { [foreign]: { $eq: only ?? null } }
  if (!values.some((value) => value instanceof BSONRegExp)) return { [foreign]: { $in: values } }
  return { $or: values.map((value) => ({ [foreign]: { $eq: value } })) }
}
