import { walkPath } from '../bson/path.ts'
import type { Hit, Path } from '../bson/path.ts'
import { fieldOf } from '../bson/values.ts'
import type { Doc, Value } from '../bson/values.ts'
import type { Leaf } from './leaf.ts'

/** A compiled filter; `hit` receives the array index for a positional `$`. */
export type Matcher = (doc: Doc, hit?: Hit) => boolean

/**
 * The condition of one operator on a field: a test of single values (with `expand`, of array elements too), or the
 * negation of several conditions combined.
 */
export type Condition = { leaf: Leaf; expand: boolean } | { not: readonly Condition[] }

/** The conjunction of tests; the last one determines the index of a positional `$`. */
export function every(tests: readonly Matcher[]): Matcher {
  const [first, second] = tests
  if (first === undefined) return () => true
  if (second === undefined) return first
  return (doc, hit) => {
    const matched = tests.every((test) => test(doc, hit))
    if (!matched && hit) delete hit.index
    return matched
  }
}

/** The conditions as a test of one value, as `$elemMatch` applies them to elements. */
export function ofValue(conditions: readonly Condition[]): Leaf {
  const tests = conditions.map((condition): Leaf => {
    if ('leaf' in condition) return condition.leaf
    const inner = ofValue(condition.not)
    return (value) => !inner(value)
  })
  return (value) => tests.every((test) => test(value))
}

/** The condition as a test of the values that a path reaches. */
export function atPath(condition: Condition, path: Path): Matcher {
  if ('not' in condition) {
    const test = every(condition.not.map((part) => atPath(part, path)))
    return (doc) => !test(doc)
  }
  const { leaf, expand } = condition
  const visit = expand ? expanding(leaf) : leaf
  if (path.parts.length === 1) return (doc, hit) => visit(fieldOf(doc, path.name), hit, false)
  return (doc, hit) => walkPath(doc, { path, visit, hit })
}

function expanding(leaf: Leaf): (value: Value, hit: Hit | undefined, whole: boolean) => boolean {
  return (value, hit, whole) => {
    if (whole || !Array.isArray(value)) return leaf(value)
    const index = value.findIndex((element) => leaf(element))
    if (hit && index >= 0) hit.index = index
    return index >= 0 || leaf(value)
  }
}
