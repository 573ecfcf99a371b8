import { BSONRegExp } from 'bson'
import { compileExpression } from '../expressions/compile.ts'
import { frameOf, isTrue } from '../expressions/frame.ts'
import { CommandError } from '../errors/command-error.ts'
import { atPath, every, ofValue } from './condition.ts'
import type { Condition, Matcher } from './condition.ts'
import { comparison, equality, listed, modulo, refuseUndefined, regexOf, sized, textMatch, typed } from './leaf.ts'
import type { Leaf } from './leaf.ts'
import { parsePath } from '../bson/path.ts'
import type { Hit } from '../bson/path.ts'
import { asDoc, fieldOf } from '../bson/compare.ts'
import type { Doc, Scope, Value } from '../bson/compare.ts'

/** `$expr` is about whole documents: inside `$elemMatch` and the like it is refused. */
type MatchScope = Scope & { element?: true }

/** Compiles a query filter as `find` takes it; unknown and unsupported operators are refused with MongoDB's codes. */
export function compileFilter(filter: Doc, scope: Scope): (doc: Doc) => boolean {
  const matches = compileMatcher(filter, scope)
  return (doc) => matches(doc)
}

/** Compiles a filter to what a positional `$` stands for: the array index that it matched, undefined where it did not. */
export function compilePosition(filter: Doc, scope: Scope): (doc: Doc) => number | undefined {
  const matches = compileMatcher(filter, scope)
  return (doc) => {
    const hit: Hit = {}
    return matches(doc, hit) ? hit.index : undefined
  }
}

function compileMatcher(filter: Doc, scope: MatchScope): Matcher {
  const tests: Matcher[] = []
  for (const name of Object.keys(filter)) {
    const argument = filter[name]
    if (name.startsWith('$')) {
      const test = topLevel(name, argument, scope)
      if (test) tests.push(test)
    } else {
      const path = parsePath(name)
      for (const condition of conditionsOf(argument, scope)) tests.push(atPath(condition, path))
    }
  }
  return every(tests)
}

function topLevel(name: string, argument: Value, scope: MatchScope): Matcher | undefined {
  switch (name) {
    case '$and':
      return every(clauses(name, argument, scope))
    case '$or': {
      const tests = clauses(name, argument, scope)
      return (doc, hit) => tests.some((test) => test(doc, hit))
    }
    case '$nor': {
      const tests = clauses(name, argument, scope)
      return (doc) => !tests.some((test) => test(doc))
    }
    case '$expr': {
      if (scope.element) throw new CommandError('BadValue', '$expr can only be applied to the top-level document')
      const expression = compileExpression(argument, scope)
      return (doc) => isTrue(expression(frameOf(doc, scope)))
    }
    case '$comment':
      return undefined
    case '$text':
    case '$where':
    case '$jsonSchema':
      throw new CommandError('BadValue', `${name} is not supported by this store`)
    default:
      throw new CommandError(
        'BadValue',
        `unknown top level operator: ${name}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
      )
  }
}

function clauses(name: string, argument: Value, scope: MatchScope): Matcher[] {
  if (!Array.isArray(argument)) throw new CommandError('BadValue', `${name} must be an array`)
  if (argument.length === 0) throw new CommandError('BadValue', '$and/$or/$nor must be a nonempty array')
  return argument.map((entry) => {
    const filter = asDoc(entry)
    if (!filter) throw new CommandError('BadValue', '$or/$and/$nor entries need to be full objects')
    return compileMatcher(filter, scope)
  })
}

/** True for `{$gt: 1}`, false for values to be equal to, among them `{}` and database references. */
export function isOperatorDoc(value: Value): boolean {
  const [first] = Object.keys(asDoc(value) ?? {})
  return first !== undefined && first.startsWith('$') && first !== '$ref' && first !== '$id' && first !== '$db'
}

function conditionsOf(argument: Value, scope: MatchScope): Condition[] {
  if (isOperatorDoc(argument)) return operators(asDoc(argument) ?? {}, scope)
  return [{ leaf: equalOrRegex(argument), expand: true }]
}

function equalOrRegex(value: Value): Leaf {
  return value instanceof BSONRegExp ? textMatch(value) : equality(refuseUndefined(value))
}

function operators(conditions: Doc, scope: MatchScope): Condition[] {
  return Object.keys(conditions).flatMap((name) => operator(name, conditions, scope) ?? [])
}

function operator(name: string, siblings: Doc, scope: MatchScope): Condition | undefined {
  const argument = siblings[name]
  switch (name) {
    case '$eq':
      return { leaf: equality(refuseUndefined(argument)), expand: true }
    case '$ne':
      if (argument instanceof BSONRegExp) throw new CommandError('BadValue', "Can't have regex as arg to $ne.")
      return { not: [{ leaf: equality(refuseUndefined(argument)), expand: true }] }
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      return { leaf: comparison(name, refuseUndefined(argument)), expand: true }
    case '$in':
      return { leaf: listed(name, argument), expand: true }
    case '$nin':
      return { not: [{ leaf: listed(name, argument), expand: true }] }
    case '$exists': {
      const exists: Condition = { leaf: (value) => value !== undefined, expand: false }
      return isTrue(argument) ? exists : { not: [exists] }
    }
    case '$type':
      return { leaf: typed(argument), expand: true }
    case '$size':
      return { leaf: sized(argument), expand: false }
    case '$mod':
      return { leaf: modulo(argument), expand: true }
    case '$regex':
      return { leaf: textMatch(regexOf(argument, siblings.$options)), expand: true }
    case '$options':
      if (siblings.$regex === undefined) throw new CommandError('BadValue', '$options needs a $regex')
      return undefined
    default:
      return nested(name, argument, scope)
  }
}

function nested(name: string, argument: Value, scope: MatchScope): Condition | undefined {
  switch (name) {
    case '$not':
      return { not: negated(argument, scope) }
    case '$all':
      return all(argument, scope)
    case '$elemMatch':
      return { leaf: elemMatch(argument, scope), expand: false }
    case '$comment':
      return undefined
    default:
      throw new CommandError('BadValue', `unknown operator: ${name}`)
  }
}

function negated(argument: Value, scope: MatchScope): Condition[] {
  if (argument instanceof BSONRegExp) return [{ leaf: textMatch(argument), expand: true }]
  const doc = asDoc(argument)
  if (!doc) throw new CommandError('BadValue', '$not needs a regex or a document')
  if (Object.keys(doc).length === 0) throw new CommandError('BadValue', '$not cannot be empty')
  return operators(doc, scope)
}

function isElemMatch(entry: Value): boolean {
  return fieldOf(asDoc(entry) ?? {}, '$elemMatch') !== undefined
}

function all(argument: Value, scope: MatchScope): Condition {
  if (!Array.isArray(argument)) throw new CommandError('BadValue', '$all needs an array')
  if (argument.length === 0) return { leaf: () => false, expand: false }
  const wanted = argument.filter(isElemMatch).length
  if (wanted > 0 && wanted < argument.length) {
    throw new CommandError('BadValue', '$all/$elemMatch has to be consistent')
  }
  if (wanted > 0) return { and: argument.flatMap((entry) => operators(asDoc(entry) ?? {}, scope)) }
  if (argument.some(isOperatorDoc)) throw new CommandError('BadValue', 'no $ expressions in $all')
  return { and: argument.map((entry) => ({ leaf: equalOrRegex(entry), expand: true })) }
}

function elemMatch(argument: Value, scope: MatchScope): Leaf {
  const doc = asDoc(argument)
  if (!doc) throw new CommandError('BadValue', '$elemMatch needs an Object')
  const test = isValueForm(doc)
    ? ofValue({ and: operators(doc, scope) })
    : ofElement(compileMatcher(doc, { ...scope, element: true }))
  return (value, hit) => {
    if (!Array.isArray(value)) return false
    const index = value.findIndex((element) => test(element))
    if (hit && index >= 0) hit.index = index
    return index >= 0
  }
}

const logical = new Set(['$and', '$or', '$nor', '$where', '$expr', '$jsonSchema', '$text', '$comment'])

/** `$elemMatch: {$gt: 1}` tests the elements themselves, `{$elemMatch: {a: 1}}` their fields. */
function isValueForm(doc: Doc): boolean {
  const [first = ''] = Object.keys(doc)
  return isOperatorDoc(doc) && !logical.has(first)
}

function ofElement(test: Matcher): Leaf {
  return (element) => {
    const doc = Array.isArray(element) ? Object.fromEntries(element.entries()) : asDoc(element)
    return doc !== undefined && test(doc)
  }
}

/** Compiles what `$pull` takes: tests one array element against a filter of its fields or a list of operators. */
export function compileElementFilter(condition: Doc, scope: Scope): (element: Value) => boolean {
  if (!isValueForm(condition)) return ofElement(compileMatcher(condition, { ...scope, element: true }))
  const test = every(operators(condition, scope).map((part) => atPath(part, parsePath('element'))))
  return (element) => test({ element })
}
