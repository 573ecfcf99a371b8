import { Timestamp } from 'bson'
import { CommandError } from '../errors/command-error.ts'
import { addToSet, pop, pull, pullAll, push } from './arrays.ts'
import { bit, extreme, numeric } from './numbers.ts'
import { renames } from './rename.ts'
import { buildTree } from './tree.ts'
import type { Apply, Modifier, Tree } from './tree.ts'
import { identicalValues } from '../bson/identity.ts'
import { asDoc, fieldOf, typeOf } from '../bson/compare.ts'
import type { Doc, Scope, Value } from '../bson/compare.ts'

/** Makes the change of one operator at one path out of its argument. */
type Compile = (argument: Value, path: string, scope: Scope) => Apply

const operators = new Map<string, { compile: Compile; barred: Modifier['barred'] }>([
  ['$set', { compile: set, barred: 'create' }],
  ['$setOnInsert', { compile: set, barred: 'create' }],
  ['$unset', { compile: () => () => undefined, barred: 'ignore' }],
  ['$inc', { compile: (argument) => numeric('add', argument), barred: 'create' }],
  ['$mul', { compile: (argument) => numeric('multiply', argument), barred: 'create' }],
  ['$min', { compile: (argument) => extreme(argument, -1), barred: 'create' }],
  ['$max', { compile: (argument) => extreme(argument, 1), barred: 'create' }],
  ['$bit', { compile: bit, barred: 'create' }],
  ['$currentDate', { compile: currentDate, barred: 'create' }],
  ['$push', { compile: push, barred: 'create' }],
  ['$addToSet', { compile: addToSet, barred: 'create' }],
  ['$pull', { compile: pull, barred: 'traverse' }],
  ['$pullAll', { compile: pullAll, barred: 'traverse' }],
  ['$pop', { compile: pop, barred: 'traverse' }],
])

/** Compiles the operators of an update into one tree; `$setOnInsert` counts only when a document is inserted. */
export function compileModifiers(update: Doc, scope: Scope, inserting: boolean): Tree {
  const modifiers: Modifier[] = []
  for (const operator of Object.keys(update)) {
    const known = operators.get(operator)
    if (!known && operator !== '$rename') {
      throw new CommandError(
        'FailedToParse',
        `Unknown modifier: ${operator}. Expected a valid update modifier or pipeline-style update specified as an array`,
      )
    }
    const fields = fieldsOf(operator, update[operator])
    for (const path of Object.keys(fields)) {
      checkPath(path)
      if (!known) modifiers.push(...renames(path, fields[path]))
      else {
        const apply = known.compile(fields[path], path, scope)
        const idle = operator === '$setOnInsert' && !inserting
        modifiers.push({ operator, path, apply: idle ? keep : apply, barred: idle ? 'ignore' : known.barred })
      }
    }
  }
  return buildTree(modifiers)
}

const keep: Apply = (value) => value

function fieldsOf(operator: string, argument: Value): Doc {
  const fields = asDoc(argument)
  if (fields) return fields
  throw new CommandError(
    'FailedToParse',
    `Modifiers operate on fields but we found type ${typeOf(argument)} instead. For example: {$mod: {<field>: ...}} not {${operator}: ...}`,
  )
}

/** Refuses paths that are empty in part, start with a dollar sign, or hold more than one positional `$`. */
export function checkPath(path: string): void {
  if (path === '') throw new CommandError('EmptyFieldName', 'An empty update path is not valid.')
  const parts = path.split('.')
  if (parts.includes('')) {
    throw new CommandError(
      'EmptyFieldName',
      `The update path '${path}' contains an empty field name, which is not allowed.`,
    )
  }
  const [first = ''] = parts
  if (first === '$' || first.startsWith('$[')) {
    const what = first === '$' ? "positional (i.e. '$')" : "array filter identifier (i.e. '$[<id>]')"
    throw new CommandError('BadValue', `Cannot have ${what} element in the first position in path '${path}'`)
  }
  if (parts.filter((part) => part === '$').length > 1) {
    throw new CommandError('BadValue', `Too many positional (i.e. '$') elements found in path '${path}'`)
  }
  if (first.startsWith('$')) {
    throw new CommandError(
      'DollarPrefixedFieldName',
      `The dollar ($) prefixed field '${first}' in '${path}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
    )
  }
}

function set(argument: Value): Apply {
  return (value) => (identicalValues(value, argument) ? value : argument)
}

function currentDate(argument: Value, _path: string, scope: Scope): Apply {
  const type = typeof argument === 'boolean' ? 'date' : fieldOf(asDoc(argument) ?? {}, '$type')
  if (type !== 'date' && type !== 'timestamp') {
    throw new CommandError(
      'BadValue',
      `${typeOf(argument)} is not valid type for $currentDate. Please use a boolean ('true') or a $type expression ({$type: 'timestamp/date'}).`,
    )
  }
  const now = type === 'date' ? scope.now : new Timestamp({ t: Math.floor(scope.now.getTime() / 1000), i: 1 })
  return set(now)
}
