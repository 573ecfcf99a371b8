import { asDoc } from '../bson/compare.ts'
import type { Doc, Value } from '../bson/compare.ts'

/** A filter taken apart: conditions on fields that all must hold, and groups of alternatives of which one must. */
export type FilterParts = {
  fields: { path: string; condition: Value }[]
  alternatives: Doc[][]
}

/** Flattens `$and`; operators that no index can serve are left out (the whole filter is tested again anyway). */
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

/** `{a: {$elemMatch: {b: 1}}}` also is a condition on `a.b`. */
function addField(parts: FilterParts, path: string, condition: Value): void {
  parts.fields.push({ path, condition })
  for (const [name, inner] of Object.entries(asDoc(asDoc(condition)?.$elemMatch) ?? {})) {
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

/** The top-level fields that a filter looks at; undefined when that cannot be told (`$expr`). */
export function filterRoots(filter: Doc): Set<string> | undefined {
  const roots = new Set<string>()
  return addRoots(roots, filter) ? roots : undefined
}

function addRoots(roots: Set<string>, filter: Doc): boolean {
  for (const [name, condition] of Object.entries(filter)) {
    if (name === '$and' || name === '$or' || name === '$nor') {
      for (const clause of clausesOf(condition)) if (!addRoots(roots, clause)) return false
    } else if (name.startsWith('$')) {
      if (name !== '$comment') return false
    } else {
      roots.add(rootOf(name))
    }
  }
  return true
}

/** The first part of a dotted path. */
export function rootOf(path: string): string {
  const dot = path.indexOf('.')
  return dot < 0 ? path : path.slice(0, dot)
}
