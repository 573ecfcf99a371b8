import { asDoc } from '../bson/values.ts'
import type { Doc, Value } from '../bson/values.ts'

/**
 * The parts of a filter: conditions on fields that must all hold, and groups of alternatives of which at least one must
 * hold.
 */
export type FilterParts = {
  fields: { path: string; condition: Value }[]
  alternatives: Doc[][]
}

/** Flattens `$and` and leaves out operators that no index can serve, because the whole filter is tested again. */
export function filterParts(filter: Doc): FilterParts {
  const parts: FilterParts = { fields: [], alternatives: [] }
  addParts(parts, filter)
  return parts
}

function addParts(parts: FilterParts, filter: Doc): void {
  for (const [name, condition] of Object.entries(filter)) {
    if (name === '$and') for (const clause of clausesOf(condition)) addParts(parts, clause)
    else if (name === '$or') addAlternatives(parts, clausesOf(condition))
    else if (!name.startsWith('$')) addField(parts, name, condition)
  }
}

/** Adds a condition; `{a: {$elemMatch: {b: 1}}}` also implies a condition on `a.b`. */
function addField(parts: FilterParts, path: string, condition: Value): void {
  parts.fields.push({ path, condition })
  for (const [name, inner] of Object.entries(asDoc(asDoc(condition)?.['$elemMatch']) ?? {})) {
    if (!name.startsWith('$')) addField(parts, `${path}.${name}`, inner)
  }
}

function addAlternatives(parts: FilterParts, clauses: Doc[]): void {
  const [only] = clauses
  if (only && clauses.length === 1) addParts(parts, only)
  else if (clauses.length > 1) parts.alternatives.push(clauses)
}

function clausesOf(value: Value): Doc[] {
  return Array.isArray(value) ? value.map((clause) => asDoc(clause) ?? {}) : []
}

/** The top-level fields that a filter uses. */
export function filterRoots(filter: Doc): Set<string> {
  const roots = new Set<string>()
  for (const [name, condition] of Object.entries(filter)) {
    if (!name.startsWith('$')) roots.add(rootOf(name))
    else for (const clause of clausesOf(condition)) for (const root of filterRoots(clause)) roots.add(root)
  }
  return roots
}

/** The first part of a dotted path. */
export function rootOf(path: string): string {
  const dot = path.indexOf('.')
  return dot < 0 ? path : path.slice(0, dot)
}
