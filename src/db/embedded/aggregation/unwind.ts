import { Long } from 'bson'
import type { Pipeline } from './stage.ts'
import { withValue } from './with-value.ts'
import { CommandError } from '../errors/command-error.ts'
import { asDoc, fieldOf, typeOf } from '../bson/compare.ts'
import type { Doc, Value } from '../bson/compare.ts'

type Spec = { path: string[]; indexField: string[] | undefined; preserve: boolean }

/** `$unwind`: one document per array element; a value that is no array counts as its only element. */
export function unwind(argument: Value): Pipeline {
  const { path, indexField, preserve } = specOf(argument)
  const made = (doc: Doc, element: Value, index: Value) => {
    const unwound = element === undefined ? doc : withValue(doc, path, element)
    return indexField ? withValue(unwound, indexField, index) : unwound
  }
  return function* (input) {
    for (const doc of input) {
      const value = plainValue(doc, path)
      if (!Array.isArray(value)) {
        if (preserve || (value !== undefined && value !== null)) yield made(doc, undefined, null)
      } else if (value.length === 0) {
        if (preserve) yield made(withValue(doc, path, undefined), undefined, null)
      } else {
        for (const [index, element] of value.entries()) yield made(doc, element, Long.fromNumber(index))
      }
    }
  }
}

function specOf(argument: Value): Spec {
  if (typeof argument === 'string') return { path: pathOf(argument), indexField: undefined, preserve: false }
  const doc = asDoc(argument)
  if (!doc)
    throw new CommandError(
      'Location15981',
      `expected either a string or an object as specification for $unwind stage, got ${typeOf(argument)}`,
    )
  for (const name of Object.keys(doc)) {
    if (!['path', 'includeArrayIndex', 'preserveNullAndEmptyArrays'].includes(name)) {
      throw new CommandError('Location28811', `unrecognized option to $unwind stage: ${name}`)
    }
  }
  const { path, includeArrayIndex: index, preserveNullAndEmptyArrays: preserve = false } = doc
  if (typeof path !== 'string')
    throw new CommandError('Location28808', `expected a string as the path for $unwind stage, got ${typeOf(path)}`)
  if (typeof preserve !== 'boolean') {
    throw new CommandError(
      'Location28809',
      `expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage, got ${typeOf(preserve)}`,
    )
  }
  if (index !== undefined && (typeof index !== 'string' || index === '')) {
    throw new CommandError(
      'Location28810',
      `expected a non-empty string for the includeArrayIndex option to $unwind stage, got ${typeOf(index)}`,
    )
  }
  if (index?.startsWith('$')) {
    throw new CommandError(
      'Location28822',
      `includeArrayIndex option to $unwind stage should not be prefixed with a '$': ${index}`,
    )
  }
  return { path: pathOf(path), indexField: index?.split('.'), preserve }
}

function pathOf(path: string): string[] {
  if (path === '') throw new CommandError('Location28812', 'no path specified to $unwind stage')
  if (!path.startsWith('$'))
    throw new CommandError('Location28818', `path option to $unwind stage should be prefixed with a '$': ${path}`)
  return path.slice(1).split('.')
}

/** The value at a path of documents alone; a path through an array leads nowhere. */
function plainValue(doc: Doc, path: string[]): Value {
  return path.reduce<Value>((value, part) => fieldOf(asDoc(value) ?? {}, part), doc)
}
