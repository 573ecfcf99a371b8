import { isNumber } from '../bson/numbers.ts'
import { asDoc, fieldOf, isTruthy, setField, typeOf } from '../bson/values.ts'
import type { Doc, Value } from '../bson/values.ts'
import { CommandError } from '../errors/command-error.ts'

type Mode = 'include' | 'exclude'

/** The fields of a projection as a tree of path parts; true where a path ends. */
type Fields = Map<string, Fields | true>

/**
 * Compiles a projection that includes (`{a: 1, 'b.c': 1}`) or excludes (`{a: 0}`) fields; `_id` is included unless it
 * is excluded by name. Included fields keep the order of the document. Refuses computed fields and find's operators
 * (`$slice`, `$elemMatch`, `a.$`) (CommandNotSupported).
 */
export function compileProjection(spec: Doc): (doc: Doc) => Doc {
  if (Object.keys(spec).length === 0) return (doc) => doc
  const fields: Fields = new Map()
  let mode: Mode | undefined
  for (const [path, value] of Object.entries(spec)) {
    checkPath(path)
    const fieldMode = modeOf(path, value)
    if (path === '_id') continue
    if (mode !== undefined && mode !== fieldMode) throw mixed(path, fieldMode)
    mode = fieldMode
    addPath(fields, path)
  }
  const keepsId = spec['_id'] === undefined || isTruthy(spec['_id'])
  const kept = mode ?? (keepsId ? 'include' : 'exclude')
  if (keepsId === (kept === 'include') && !fields.has('_id')) addPath(fields, '_id')
  return (doc) => project(fields, kept, doc)
}

function modeOf(path: string, value: Value): Mode {
  if (typeof value === 'boolean' || isNumber(value)) return isTruthy(value) ? 'include' : 'exclude'
  const [operator = typeOf(value)] = Object.keys(asDoc(value) ?? {})
  const what = `A projection of '${path}' by ${operator}`
  throw new CommandError('CommandNotSupported', `${what} is not supported by this store: fields are kept or left out`)
}

function mixed(path: string, fieldMode: Mode): CommandError {
  return fieldMode === 'include'
    ? new CommandError('Location31253', `Cannot do inclusion on field ${path} in exclusion projection`)
    : new CommandError('Location31254', `Cannot do exclusion on field ${path} in inclusion projection`)
}

/** Refuses a field path that is empty, has an empty part, or has a part that begins with a dollar sign. */
export function checkPath(path: string): void {
  if (path === '') throw new CommandError('Location40352', 'FieldPath cannot be constructed with empty string')
  if (path.endsWith('.')) throw new CommandError('Location40353', "FieldPath must not end with a '.'.")
  const parts = path.split('.')
  if (parts.includes('')) throw new CommandError('Location15998', 'FieldPath field names may not be empty strings.')
  if (parts.some((part) => part.startsWith('$'))) {
    throw new CommandError('Location16410', `FieldPath field names may not start with '$': '${path}'`)
  }
}

/** Adds a path; refuses one that occurs twice or inside another. */
function addPath(fields: Fields, path: string): void {
  const parts = path.split('.')
  const last = parts.pop() ?? ''
  let at = fields
  for (const [i, part] of parts.entries()) {
    const next = at.get(part) ?? new Map()
    if (next === true) {
      const rest = [...parts.slice(i + 1), last].join('.')
      throw new CommandError('Location31249', `Path collision at ${path} remaining portion ${rest}`)
    }
    at.set(part, next)
    at = next
  }
  if (at.has(last)) throw new CommandError('Location31250', `Path collision at ${path}`)
  at.set(last, true)
}

function project(fields: Fields, mode: Mode, doc: Doc): Doc {
  const made: Doc = {}
  for (const name of Object.keys(doc)) {
    const value = projectField(fields.get(name), mode, fieldOf(doc, name))
    if (value !== undefined) setField(made, name, value)
  }
  return made
}

function projectField(field: Fields | true | undefined, mode: Mode, value: Value): Value {
  if (field === undefined) return mode === 'exclude' ? value : undefined
  if (field === true) return mode === 'exclude' ? undefined : value
  return projectWithin(field, mode, value)
}

function projectWithin(fields: Fields, mode: Mode, value: Value): Value {
  if (Array.isArray(value)) {
    return value.map((element) => projectWithin(fields, mode, element)).filter((element) => element !== undefined)
  }
  const doc = asDoc(value)
  if (doc) return project(fields, mode, doc)
  return mode === 'exclude' ? value : undefined
}
