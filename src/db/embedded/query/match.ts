import { BSONRegExp } from 'bson'
import { parsePath } from '../bson/path.ts'
import type { Hit } from '../bson/path.ts'
import { asDoc, isTruthy } from '../bson/values.ts'
import type { Doc, Value } from '../bson/values.ts'
import { CommandError } from '../errors/command-error.ts'
import { atPath, every, ofValue } from './condition.ts'
import type { Condition, Matcher } from './condition.ts'
import { comparison, equality, listed, sized, textMatch } from './leaf.ts'
import type { Leaf } from './leaf.ts'
import { regexOf } from './regex.ts'

/** Compiles a query filter in the form of `find`; refuses unsupported operators (BadValue). */
export function compileFilter(filter: Doc): (doc: Doc) => boolean {
  const matches = compileMatcher(filter)
  return (doc) => matches(doc)
}

/**
 * Compiles a filter to a function that returns the array index for a positional `$`; undefined if the filter matched no
 * element.
 */
export function compilePosition(filter: Doc): (doc: Doc) => number | undefined {
  const matches = compileMatcher(filter)
  return (doc) => {
    const hit: Hit = {}
    return matches(doc, hit) ? hit.index : undefined
  }
}

function compileMatcher(filter: Doc): Matcher {
  const tests: Matcher[] = []
  for (const name of Object.keys(filter)) {
    const argument = filter[name]
    if (name.startsWith('$')) tests.push(logical(name, argument))
    else {
      const path = parsePath(name)
      for (const condition of conditionsOf(argument)) tests.push(atPath(condition, path))
    }
  }
  return every(tests)
}

type Logical = (tests: readonly Matcher[]) => Matcher

/** The operators that combine whole filters. */
export const logicalOperators: ReadonlyMap<string, Logical> = new Map<string, Logical>([
  ['$and', every],
  ['$or', (tests) => (doc, hit) => tests.some((test) => test(doc, hit))],
  ['$nor', (tests) => (doc) => !tests.some((test) => test(doc))],
])

function logical(name: string, argument: Value): Matcher {
  const combine = logicalOperators.get(name)
  if (combine) return combine(clausesOf(name, argument))
  throw new CommandError(
    'BadValue',
    `unknown top level operator: ${name}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
  )
}

function clausesOf(name: string, argument: Value): Matcher[] {
  if (!Array.isArray(argument)) throw new CommandError('BadValue', `${name} must be an array`)
  if (argument.length === 0) throw new CommandError('BadValue', '$and/$or/$nor must be a nonempty array')
  return argument.map((entry) => {
    const filter = asDoc(entry)
    if (!filter) throw new CommandError('BadValue', '$or/$and/$nor entries need to be full objects')
    return compileMatcher(filter)
  })
}

/** True for operators such as `{$gt: 1}`; false for values to compare with, including `{}` and database references. */
export function isOperatorDoc(value: Value): boolean {
  const [first] = Object.keys(asDoc(value) ?? {})
  return first !== undefined && first.startsWith('$') && first !== '$ref' && first !== '$id' && first !== '$db'
}

function conditionsOf(argument: Value): Condition[] {
  if (isOperatorDoc(argument)) return operators(asDoc(argument) ?? {})
  return [{ leaf: argument instanceof BSONRegExp ? textMatch(argument) : equality(argument), expand: true }]
}

/** Compiles one operator of a field; `siblings` are all operators of that field. */
type Operator = (argument: Value, siblings: Doc) => Condition | undefined

const expanded = (leaf: Leaf): Condition => ({ leaf, expand: true })
const present: Condition = { leaf: (value) => value !== undefined, expand: false }

/** The operators that test a field. */
export const fieldOperators: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['$eq', (argument) => expanded(equality(argument))],
  ['$ne', (argument) => ({ not: [expanded(unequal(argument))] })],
  ['$gt', (argument) => expanded(comparison('$gt', argument))],
  ['$gte', (argument) => expanded(comparison('$gte', argument))],
  ['$lt', (argument) => expanded(comparison('$lt', argument))],
  ['$lte', (argument) => expanded(comparison('$lte', argument))],
  ['$in', (argument) => expanded(listed('$in', argument))],
  ['$nin', (argument) => ({ not: [expanded(listed('$nin', argument))] })],
  ['$exists', (argument) => (isTruthy(argument) ? present : { not: [present] })],
  ['$size', (argument) => ({ leaf: sized(argument), expand: false })],
  ['$regex', (argument, { $options: options }) => expanded(textMatch(regexOf(argument, options)))],
  ['$options', (_argument, siblings) => checkOptions(siblings)],
  ['$not', (argument) => ({ not: negated(argument) })],
  ['$elemMatch', (argument) => ({ leaf: elemMatch(argument), expand: false })],
])

function unequal(argument: Value): Leaf {
  if (argument instanceof BSONRegExp) throw new CommandError('BadValue', "Can't have regex as arg to $ne.")
  return equality(argument)
}

function checkOptions(siblings: Doc): undefined {
  if (siblings['$regex'] === undefined) throw new CommandError('BadValue', '$options needs a $regex')
}

function operators(conditions: Doc): Condition[] {
  return Object.keys(conditions).flatMap((name) => {
    const operator = fieldOperators.get(name)
    if (!operator) throw new CommandError('BadValue', `unknown operator: ${name}`)
    return operator(conditions[name], conditions) ?? []
  })
}

function negated(argument: Value): Condition[] {
  if (argument instanceof BSONRegExp) return [expanded(textMatch(argument))]
  const doc = asDoc(argument)
  if (!doc) throw new CommandError('BadValue', '$not needs a regex or a document')
  if (Object.keys(doc).length === 0) throw new CommandError('BadValue', '$not cannot be empty')
  return operators(doc)
}

function elemMatch(argument: Value): Leaf {
  const doc = asDoc(argument)
  if (!doc) throw new CommandError('BadValue', '$elemMatch needs an Object')
  const test = isValueForm(doc) ? ofValue(operators(doc)) : ofElement(compileMatcher(doc))
  return (value, hit) => {
    if (!Array.isArray(value)) return false
    const index = value.findIndex((element) => test(element))
    if (hit && index >= 0) hit.index = index
    return index >= 0
  }
}

/** `$elemMatch: {$gt: 1}` tests the elements themselves, `{$elemMatch: {a: 1}}` their fields. */
function isValueForm(doc: Doc): boolean {
  const [first = ''] = Object.keys(doc)
  return isOperatorDoc(doc) && !logicalOperators.has(first)
}

function ofElement(test: Matcher): Leaf {
  return (element) => {
    const doc = Array.isArray(element) ? Object.fromEntries(element.entries()) : asDoc(element)
    return doc !== undefined && test(doc)
  }
}

/** Compiles the argument of `$pull`: tests one array element against a filter of its fields or a list of operators. */
export function compileElementFilter(condition: Doc): (element: Value) => boolean {
  if (!isValueForm(condition)) return ofElement(compileMatcher(condition))
  const test = every(operators(condition).map((part) => atPath(part, parsePath('element'))))
  return (element) => test({ element })
}
