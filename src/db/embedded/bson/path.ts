import { asDoc, fieldOf } from './values.ts'
import type { Doc, Value } from './values.ts'

/** A parsed dotted path; `indexes[i]` is -1 if the part is not an array index. */
export type Path = { name: string; parts: readonly string[]; indexes: readonly number[] }

/** What a path traversal records: the index in the outermost array that led to the match (the positional `$`). */
export type Hit = { index?: number }

/**
 * A traversal. `visit` receives each value that the path reaches and returns true to stop. `whole` values were reached
 * by an explicit index and must not be expanded if they are arrays.
 */
export type Walk = {
  readonly path: Path
  readonly hit?: Hit | undefined
  visit(value: Value, hit: Hit | undefined, whole: boolean): boolean
}

/** Parses a dotted path. */
export function parsePath(name: string): Path {
  const parts = name.split('.')
  return { name, parts, indexes: parts.map(arrayIndex) }
}

/** The array index in a path part (canonical decimal digits only), or -1. */
export function arrayIndex(part: string): number {
  return /^(?:0|[1-9]\d{0,8})$/.test(part) ? Number(part) : -1
}

/**
 * Visits every value that the path reaches. Like MongoDB's matcher, it descends into each document of an array and into
 * the element at a numeric part. A branch that ends early visits `undefined`; array elements that are not documents are
 * skipped.
 */
export function walkPath(doc: Doc, walk: Walk): boolean {
  return walkFrom(doc, walk, 0)
}

function walkFrom(container: Doc, walk: Walk, from: number): boolean {
  const { parts } = walk.path
  let value = fieldOf(container, parts[from] ?? '')
  for (let at = from + 1; at < parts.length; at++) {
    if (Array.isArray(value)) return walkArray(value, walk, at)
    const doc = asDoc(value)
    if (doc === undefined) return walk.visit(undefined, walk.hit, false)
    value = fieldOf(doc, parts[at] ?? '')
  }
  return walk.visit(value, walk.hit, false)
}

function walkArray(array: Value[], walk: Walk, at: number): boolean {
  const { path, hit } = walk
  const index = path.indexes[at] ?? -1
  for (let i = 0; i < array.length; i++) {
    const element = array[i]
    const doc = asDoc(element)
    if (doc !== undefined && walkFrom(doc, walk, at)) {
      if (hit) hit.index = i
      return true
    }
    if (i !== index) continue
    if (at + 1 === path.parts.length) {
      if (walk.visit(element, hit, true)) return true
    } else {
      if (Array.isArray(element) ? walkArray(element, walk, at + 1) : doc && walkFrom(doc, walk, at + 1)) return true
    }
  }
  return false
}

/**
 * The values that a dotted path reaches, without expanding arrays at its end; `undefined` for each branch without the
 * field. Empty if the path runs into an array without documents.
 */
export function getPath(doc: Doc, path: string): Value[] {
  const found: Value[] = []
  const visit = (value: Value) => {
    found.push(value)
    return false
  }
  walkPath(doc, { path: parsePath(path), visit })
  return found
}
