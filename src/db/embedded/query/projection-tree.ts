import type { Expression, Frame } from '../expressions/frame.ts'
import { CommandError } from '../errors/command-error.ts'
import { asDoc, fieldOf, setField } from '../bson/compare.ts'
import type { Doc, Value } from '../bson/compare.ts'

/** `include` keeps only what is named, `exclude` drops it, `add` keeps everything. */
export type Mode = 'include' | 'exclude' | 'add'

/** What a projection says about one field: named, computed, or something about its fields. */
export type Field = 'named' | { expression: Expression } | Fields

/** What a projection says about a document's fields, by name, in the order of the specification. */
export type Fields = { children: Map<string, Field>; computes: boolean }

/** Fields without any rule yet. */
export function noFields(): Fields {
  return { children: new Map(), computes: false }
}

function isFields(field: Field | undefined): field is Fields {
  return field !== undefined && field !== 'named' && 'children' in field
}

/** Adds what the projection says about a dotted path; a path that is given twice, or inside another, is refused. */
export function addPath(fields: Fields, path: string, field: 'named' | { expression: Expression }): void {
  const parts = path.split('.')
  const last = parts.pop() ?? ''
  checkName(last, path)
  let at = fields
  for (const [i, part] of parts.entries()) {
    checkName(part, path)
    if (field !== 'named') at.computes = true
    const known = at.children.get(part)
    if (known !== undefined && !isFields(known)) {
      throw new CommandError(
        'Location31249',
        `Path collision at ${path} remaining portion ${[...parts.slice(i + 1), last].join('.')}`,
      )
    }
    const next = known ?? noFields()
    at.children.set(part, next)
    at = next
  }
  if (at.children.has(last)) throw new CommandError('Location31250', `Path collision at ${path}`)
  if (field !== 'named') at.computes = true
  at.children.set(last, field)
}

function checkName(name: string, path: string): void {
  if (name === '') {
    throw path === ''
      ? new CommandError('Location40352', 'FieldPath cannot be constructed with empty string')
      : path.endsWith('.')
        ? new CommandError('Location40353', "FieldPath must not end with a '.'.")
        : new CommandError('Location15998', 'FieldPath field names may not be empty strings.')
  }
  if (name.startsWith('$')) {
    throw new CommandError(
      'Location16410',
      `FieldPath field names may not start with '$'. Consider using $getField or $setField.`,
    )
  }
}

/** The projected document: kept fields in their old order, then what is computed, in the order of the specification. */
export function projectDoc(fields: Fields, mode: Mode, frame: Frame): Doc {
  const kept = keep(fields, mode, asDoc(frame.root) ?? {})
  return fields.computes ? compute(fields, kept, frame) : kept
}

function keep(fields: Fields, mode: Mode, doc: Doc): Doc {
  if (mode === 'add') return doc
  const made: Doc = {}
  for (const name of Object.keys(doc)) {
    const field = fields.children.get(name)
    const value = keptValue(field, mode, fieldOf(doc, name))
    if (value !== undefined) setField(made, name, value)
  }
  return made
}

function keptValue(field: Field | undefined, mode: Mode, value: Value): Value {
  if (field === undefined) return mode === 'exclude' ? value : undefined
  if (field === 'named') return mode === 'exclude' ? undefined : value
  return isFields(field) ? keepWithin(field, mode, value) : undefined
}

function keepWithin(fields: Fields, mode: Mode, value: Value): Value {
  if (Array.isArray(value)) {
    return value.map((element) => keepWithin(fields, mode, element)).filter((element) => element !== undefined)
  }
  const doc = asDoc(value)
  if (doc) return keep(fields, mode, doc)
  return mode === 'exclude' ? value : undefined
}

function compute(fields: Fields, doc: Doc, frame: Frame): Doc {
  const made = { ...doc }
  for (const [name, field] of fields.children) {
    if (field === 'named') continue
    if (isFields(field)) {
      if (field.computes) setField(made, name, computeWithin(field, fieldOf(made, name), frame))
      continue
    }
    const value = field.expression(frame)
    if (value === undefined) delete made[name]
    else setField(made, name, value)
  }
  return made
}

/** Computes into a document, into each element of an array, or into a new document in place of anything else. */
function computeWithin(fields: Fields, value: Value, frame: Frame): Value {
  if (Array.isArray(value)) return value.map((element) => computeWithin(fields, element, frame))
  return compute(fields, asDoc(value) ?? {}, frame)
}
