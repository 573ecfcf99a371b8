import { compareValues } from '../bson/compare.ts'
import { isNumber, toExactInteger } from '../bson/numbers.ts'
import { arrayIndex } from '../bson/path.ts'
import { asDoc, fieldOf } from '../bson/values.ts'
import type { Doc, Value } from '../bson/values.ts'
import { CommandError } from '../errors/command-error.ts'
import { checkPath } from './projection.ts'

/** 1 ascending, -1 descending. */
export type Direction = 1 | -1

const maxFields = 32

/**
 * Compiles a sort specification (`{a: 1, 'b.c': -1}`) to a comparator. Equal documents compare as 0, so a stable sort
 * keeps their order.
 */
export function compileSort(spec: Doc): (a: Doc, b: Doc) => number {
  const fields = Object.keys(spec).map((name) => ({ name, direction: directionOf(name, spec[name]) }))
  if (fields.length > maxFields) throw new CommandError('BadValue', 'too many compound keys')
  const [only] = fields
  if (only === undefined) return () => 0
  if (fields.length === 1) {
    const { name, direction } = only
    return (a, b) => direction * compareValues(sortKey(a, name, direction), sortKey(b, name, direction))
  }
  const paths = fields.map(({ name }) => name.split('.'))
  const order = (a: Value[], b: Value[]) => {
    for (let i = 0; i < fields.length; i++) {
      const difference = (fields[i]?.direction ?? 1) * compareValues(a[i], b[i])
      if (difference !== 0) return difference
    }
    return 0
  }
  const keys = new WeakMap<Doc, Value[]>()
  const keyOf = (doc: Doc) => {
    const known = keys.get(doc) ?? compoundKeys(doc, paths).reduce((best, key) => (order(key, best) < 0 ? key : best))
    keys.set(doc, known)
    return known
  }
  return (a, b) => order(keyOf(a), keyOf(b))
}

function directionOf(name: string, value: Value): Direction {
  checkPath(name)
  if (asDoc(value)) throw new CommandError('BadValue', `$meta and other sort expressions are not supported: ${name}`)
  const direction = toExactInteger(value)
  if (direction === 1n) return 1
  if (direction === -1n) return -1
  throw new CommandError(
    isNumber(value) ? 'Location15975' : 'Location15974',
    '$sort key ordering must be 1 (for ascending) or -1 (for descending)',
  )
}

/**
 * The value that a document is sorted by: the minimum of an array ascending, the maximum descending; null if missing.
 */
export function sortKey(doc: Doc, path: string, direction: Direction): Value {
  const direct = path.includes('.') ? undefined : fieldOf(doc, path)
  if (direct !== undefined && !Array.isArray(direct)) return direct
  const keys = compoundKeys(doc, [path.split('.')]).map(([key]) => key)
  return keys.reduce((best, key) => (direction * compareValues(key, best) < 0 ? key : best))
}

/**
 * The keys that an index on these paths would hold for the document: one per array element. Refuses paths through two
 * different arrays, like an index does.
 */
export function compoundKeys(doc: Doc, paths: readonly (readonly string[])[]): Value[][] {
  return expand(paths.map((parts) => ({ value: doc, parts, done: false })))
}

/** The value that a path has reached and its remaining parts; arrays are expanded until `done`. */
type PathState = { value: Value; parts: readonly string[]; done: boolean }

function expand(states: PathState[]): Value[][] {
  const reached = states.map(descend)
  const arrays = new Set(reached.flatMap(({ value, done }) => (Array.isArray(value) && !done ? [value] : [])))
  if (arrays.size > 1) throw new CommandError('BadValue', 'cannot sort with keys that are parallel arrays')
  const [array] = arrays
  if (array === undefined) return [reached.map(({ value }) => value)]
  const elements = array.length > 0 ? array : [undefined]
  return elements.flatMap((element) =>
    expand(reached.map((state) => (state.value === array && !state.done ? enter(state, element) : state))),
  )
}

/**
 * Follows object fields and explicit array indexes to the first array, the end of the path, or a missing field (null).
 */
function descend(state: PathState): PathState {
  if (state.done) return state
  let current = state.value
  let byIndex = false
  for (const [at, part] of state.parts.entries()) {
    byIndex = Array.isArray(current)
    if (Array.isArray(current)) {
      const index = arrayIndex(part)
      if (index < 0 || index >= current.length) return { value: current, parts: state.parts.slice(at), done: false }
      current = current[index]
    } else {
      const doc = asDoc(current)
      current = doc && fieldOf(doc, part)
    }
  }
  // An array that was reached by an explicit index counts as one value.
  return { value: current === undefined ? null : current, parts: [], done: byIndex || !Array.isArray(current) }
}

/** Continues with one element of an array; the key of an empty array is undefined, which sorts before null. */
function enter(state: PathState, element: Value): PathState {
  if (state.parts.length === 0) return { value: element, parts: [], done: true }
  return asDoc(element) ? { ...state, value: element } : { value: null, parts: [], done: true }
}
