import type { Leaf } from './leaf.ts'
import { walkPath } from '../bson/path.ts'
import type { Hit, Path } from '../bson/path.ts'
import { fieldOf } from '../bson/compare.ts'
import type { Doc, Value } from '../bson/compare.ts'

/** A compiled filter; `hit` receives the array index that a positional `$` stands for. */
export type Matcher = (doc: Doc, hit?: Hit) => boolean

/** What operators demand of a field: a test of single values, or a combination of such. */
export type Condition = { leaf: Leaf; expand: boolean } | { not: Condition[] } | { and: Condition[] }

/** All tests together; later ones decide what a positional `$` stands for. */
export function every(tests: Matcher[]): Matcher {
  const [first, second] = tests
  if (first === undefined) return () => true
  if (second === undefined) return first
  return (doc, hit) => {
    const matched = tests.every((test) => test(doc, hit))
    if (!matched && hit) delete hit.index
    return matched
  }
}

/** The condition as a test of one value, as `$elemMatch` applies it to elements. */
export function ofValue(condition: Condition): Leaf {
  if ('leaf' in condition) return condition.leaf
  const parts = ('and' in condition ? condition.and : condition.not).map(ofValue)
  const both: Leaf = (value) => parts.every((test) => test(value))
  return 'and' in condition ? both : (value) => !both(value)
}

/** The condition as a test of the values that a path leads to. */
export function atPath(condition: Condition, path: Path): Matcher {
  if ('and' in condition) return every(condition.and.map((part) => atPath(part, path)))
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
