import { frameOf } from '../expressions/frame.ts'
import { CommandError } from '../errors/command-error.ts'
import { compilePosition } from './match.ts'
import { parseProjection } from './projection-spec.ts'
import type { Special } from './projection-spec.ts'
import { projectDoc } from './projection-tree.ts'
import { isNumber, toInteger } from '../bson/numbers.ts'
import { asDoc, fieldOf, setField, typeOf } from '../bson/compare.ts'
import type { Doc, Scope, Value } from '../bson/compare.ts'

/** A change to the projected document; `original` is the document before. */
type Step = (projected: Doc, original: Doc) => Doc

/**
 * Compiles the projection of `find`: inclusion or exclusion, expressions, `$slice`, `$elemMatch`, and `a.$`, for which the
 * scope needs the query's filter.
 */
export function compileProjection(spec: Doc, scope: Scope & { filter?: Doc }): (doc: Doc) => Doc {
  if (Object.keys(spec).length === 0) return (doc) => doc
  const steps: Step[] = []
  const { fields, mode } = parseProjection(spec, scope, specials(steps, scope))
  return (doc) => steps.reduce((projected, step) => step(projected, doc), projectDoc(fields, mode, frameOf(doc, scope)))
}

/** Recognises `a.$`, `$slice` and `$elemMatch` and collects what they do to the projected document. */
function specials(steps: Step[], scope: Scope & { filter?: Doc }): Special {
  let positional = false
  return (path, value) => {
    if (path.split('.').includes('$')) {
      if (positional) {
        throw new CommandError('Location31276', 'Cannot specify more than one positional projection per query.')
      }
      positional = true
      const field = positionalField(path)
      steps.push(positionalStep(field, scope))
      return { path: field, kind: 'positional' }
    }
    const [operator, argument] = operatorOf(value)
    switch (operator) {
      case '$slice':
        if (!isFindSlice(argument)) return undefined
        steps.push(sliceStep(path, argument))
        return { path, kind: 'slice' }
      case '$elemMatch':
        steps.push(elemMatchStep(path, argument, scope))
        return { path, kind: 'elemMatch' }
      case '$meta':
        throw new CommandError('BadValue', '$meta is not supported by this store')
      default:
        return undefined
    }
  }
}

/** `$slice` of numbers alone is that of `find`; with an array to slice it is the aggregation expression. */
function isFindSlice(argument: Value): boolean {
  return !Array.isArray(argument) || argument.every(isNumber)
}

function operatorOf(value: Value): [string | undefined, Value] {
  const doc = asDoc(value) ?? {}
  const [name, second] = Object.keys(doc)
  return second === undefined && name !== undefined ? [name, doc[name]] : [undefined, undefined]
}

function positionalField(path: string): string {
  if (!path.endsWith('.$') || path.slice(0, -2).split('.').includes('$')) {
    throw new CommandError(
      'Location31394',
      "As of 4.4, it's illegal to specify positional operator in the middle of a path. Positional projection may only be used at the end.",
    )
  }
  return path.slice(0, -2)
}

function positionalStep(path: string, scope: Scope & { filter?: Doc }): Step {
  const find = compilePosition(scope.filter ?? {}, scope)
  return (projected, original) => {
    const index = find(original)
    return changeAt(projected, path.split('.'), (array) => {
      if (index === undefined || index >= array.length) {
        throw new CommandError(
          'Location51246',
          "Executor error during find command :: caused by :: positional operator '.$' couldn't find a matching element in the array",
        )
      }
      return [array[index]]
    })
  }
}

function sliceStep(path: string, argument: Value): Step {
  const take = slicer(argument)
  return (projected) => changeAt(projected, path.split('.'), take)
}

function slicer(argument: Value): (array: Value[]) => Value[] {
  if (!Array.isArray(argument)) {
    const count = sliceNumber(argument)
    return (array) => (count >= 0 ? array.slice(0, count) : array.slice(count))
  }
  if (argument.length !== 2) throw new CommandError('Location28667', '$slice takes one number, or an array of two')
  const [skip, limit] = [sliceNumber(argument[0]), sliceNumber(argument[1])]
  if (limit <= 0) throw new CommandError('Location28729', 'First argument to $slice must be positive')
  return (array) => {
    const start = skip >= 0 ? skip : Math.max(array.length + skip, 0)
    return array.slice(start, start + limit)
  }
}

function sliceNumber(value: Value): number {
  if (!isNumber(value))
    throw new CommandError('Location28667', `Invalid $slice syntax: expected a number, found ${typeOf(value)}`)
  return Number(toInteger(value) ?? 0n)
}

/** Changes the arrays that a path leads to, through arrays of documents; everything else stays. */
function changeAt(doc: Doc, parts: string[], change: (array: Value[]) => Value[]): Doc {
  const [name = '', ...rest] = parts
  const value = fieldOf(doc, name)
  const after = changeValue(value, rest, change)
  if (after === value) return doc
  const copy = { ...doc }
  setField(copy, name, after)
  return copy
}

function changeValue(value: Value, parts: string[], change: (array: Value[]) => Value[]): Value {
  if (parts.length === 0) return Array.isArray(value) ? change(value) : value
  if (Array.isArray(value))
    return value.map((element) => (asDoc(element) ? changeValue(element, parts, change) : element))
  const doc = asDoc(value)
  return doc ? changeAt(doc, parts, change) : value
}

function elemMatchStep(path: string, argument: Value, scope: Scope): Step {
  if (path.includes('.')) throw new CommandError('Location31275', 'Cannot use $elemMatch projection on a nested field.')
  const condition = asDoc(argument)
  if (!condition)
    throw new CommandError('Location31274', `elemMatch: Invalid argument, object required, but got ${typeOf(argument)}`)
  const find = compilePosition({ array: { $elemMatch: condition } }, scope)
  return (projected, original) => {
    const array = fieldOf(original, path)
    const index = Array.isArray(array) ? find({ array }) : undefined
    const copy = { ...projected }
    delete copy[path]
    if (Array.isArray(array) && index !== undefined) setField(copy, path, [array[index]])
    return copy
  }
}
