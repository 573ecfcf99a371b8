import { compareValues } from '../bson/compare.ts'
import { identicalValues } from '../bson/identity.ts'
import { add, isNumber } from '../bson/numbers.ts'
import { asDoc, typeOf } from '../bson/values.ts'
import type { Doc, Value } from '../bson/values.ts'
import { CommandError } from '../errors/command-error.ts'
import { addToSet, pull, push } from './arrays.ts'
import { buildTree } from './tree.ts'
import type { Apply, Modifier, Tree } from './tree.ts'

/** An update operator; `compile` converts its argument to a change at a path. */
type Operator = {
  compile: (argument: Value, path: string) => Apply
  /** What happens if a scalar or an array blocks the path; see `Modifier`. */
  blocked: Modifier['blocked']
}

/** The update operators, by name. */
export const updateOperators: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['$set', { compile: set, blocked: 'create' }],
  ['$setOnInsert', { compile: set, blocked: 'create' }],
  ['$unset', { compile: () => () => undefined, blocked: 'ignore' }],
  ['$inc', { compile: increment, blocked: 'create' }],
  ['$min', { compile: (argument) => extreme(argument, -1), blocked: 'create' }],
  ['$max', { compile: (argument) => extreme(argument, 1), blocked: 'create' }],
  ['$push', { compile: push, blocked: 'create' }],
  ['$addToSet', { compile: addToSet, blocked: 'create' }],
  ['$pull', { compile: pull, blocked: 'traverse' }],
])

/** Compiles the operators of an update into one tree; `$setOnInsert` applies only to an inserted document. */
export function compileModifiers(update: Doc, inserting: boolean): Tree {
  const modifiers: Modifier[] = []
  for (const name of Object.keys(update)) {
    const operator = updateOperators.get(name)
    if (!operator) {
      throw new CommandError(
        'FailedToParse',
        `Unknown modifier: ${name}. Expected a valid update modifier or pipeline-style update specified as an array`,
      )
    }
    const fields = fieldsOf(name, update[name])
    for (const path of Object.keys(fields)) {
      checkPath(path)
      const apply = operator.compile(fields[path], path)
      const idle = name === '$setOnInsert' && !inserting
      modifiers.push({ path, apply: idle ? keep : apply, blocked: idle ? 'ignore' : operator.blocked })
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

/** Refuses paths with an empty part, a leading dollar sign, more than one positional `$`, or `$[…]`. */
function checkPath(path: string): void {
  if (path === '') throw new CommandError('EmptyFieldName', 'An empty update path is not valid.')
  const parts = path.split('.')
  if (parts.includes('')) {
    throw new CommandError(
      'EmptyFieldName',
      `The update path '${path}' contains an empty field name, which is not allowed.`,
    )
  }
  const filtered = parts.find((part) => part.startsWith('$['))
  if (filtered !== undefined) {
    throw new CommandError('CommandNotSupported', `'${filtered}' in the update path '${path}' is not supported`)
  }
  const [first = ''] = parts
  if (first === '$') {
    throw new CommandError(
      'BadValue',
      `Cannot have positional (i.e. '$') element in the first position in path '${path}'`,
    )
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

/** `$inc`: an int widens to a long; refuses an overflow of a long. */
function increment(argument: Value): Apply {
  if (!isNumber(argument)) throw new CommandError('TypeMismatch', 'Cannot increment with non-numeric argument')
  return (value) => {
    if (value === undefined) return argument
    if (!isNumber(value)) {
      throw new CommandError('TypeMismatch', `Cannot apply $inc to a value of non-numeric type ${typeOf(value)}`)
    }
    const sum = add(value, argument)
    if (sum === undefined) {
      throw new CommandError('BadValue', 'Failed to apply $inc operations to current value: overflow')
    }
    return identicalValues(value, sum) ? value : sum
  }
}

/** `$min` (sign -1) and `$max` (1) in the BSON order. */
function extreme(argument: Value, sign: 1 | -1): Apply {
  return (value) => (value === undefined || sign * compareValues(argument, value) > 0 ? argument : value)
}
