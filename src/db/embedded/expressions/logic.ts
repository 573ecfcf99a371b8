import { Int32 } from 'bson'
import { fixed, isNullish, isTrue, operands } from './frame.ts'
import type { Compiler, Expression, Operator, Operators } from './frame.ts'
import { CommandError } from '../errors/command-error.ts'
import { asDoc, compareValues, fieldOf, typeOf } from '../bson/compare.ts'
import type { Doc, Value } from '../bson/compare.ts'

const compared = (accept: (order: number) => boolean): Operator => fixed(2, ([a, b]) => accept(compareValues(a, b)))

/** Comparisons in the BSON order, booleans, conditionals, `$literal` and `$let`. */
export const logic: Operators = {
  $eq: compared((order) => order === 0),
  $ne: compared((order) => order !== 0),
  $gt: compared((order) => order > 0),
  $gte: compared((order) => order >= 0),
  $lt: compared((order) => order < 0),
  $lte: compared((order) => order <= 0),
  $cmp: fixed(2, ([a, b]) => new Int32(Math.sign(compareValues(a, b)))),
  $not: fixed(1, ([value]) => !isTrue(value)),
  $and: (argument, compiler) => {
    const all = operands(argument).map((operand) => compiler.compile(operand))
    return (frame) => all.every((expression) => isTrue(expression(frame)))
  },
  $or: (argument, compiler) => {
    const all = operands(argument).map((operand) => compiler.compile(operand))
    return (frame) => all.some((expression) => isTrue(expression(frame)))
  },
  $cond: conditional,
  $ifNull: ifNull,
  $switch: switched,
  $literal: (argument) => () => argument,
  $const: (argument) => () => argument,
  $let: bound,
}

/** The named operands of an operator; unknown names are refused under the given code, missing ones compile to nothing. */
export function named(
  argument: Value,
  compiler: Compiler,
  rules: { operator: string; required: readonly string[]; optional?: readonly string[] },
): Record<string, Expression | undefined> {
  const { operator, required, optional = [] } = rules
  const doc = asDoc(argument)
  if (!doc)
    throw new CommandError('FailedToParse', `${operator} requires an object as an argument, found: ${typeOf(argument)}`)
  for (const name of Object.keys(doc)) {
    if (!required.includes(name) && !optional.includes(name)) {
      throw new CommandError('FailedToParse', `${operator} found an unknown argument: ${name}`)
    }
  }
  const missing = required.find((name) => fieldOf(doc, name) === undefined)
  if (missing !== undefined) throw new CommandError('FailedToParse', `Missing '${missing}' parameter to ${operator}`)
  return Object.fromEntries(Object.keys(doc).map((name) => [name, compiler.compile(doc[name])]))
}

function conditional(argument: Value, compiler: Compiler, name: string): Expression {
  const doc = asDoc(argument)
  const parts = doc ? branches(doc) : operands(argument)
  if (parts.length !== 3) {
    throw new CommandError(
      'Location16020',
      `Expression ${name} takes exactly 3 arguments. ${parts.length} were passed in.`,
    )
  }
  const [test, yes, no] = parts.map((part) => compiler.compile(part))
  return (frame) => (isTrue(test?.(frame)) ? yes : no)?.(frame)
}

function branches(doc: Doc): Value[] {
  const unknown = Object.keys(doc).find((name) => !['if', 'then', 'else'].includes(name))
  if (unknown !== undefined) throw new CommandError('Location17083', `Unrecognized parameter to $cond: ${unknown}`)
  for (const [part, code] of [
    ['if', 'Location17080'],
    ['then', 'Location17081'],
    ['else', 'Location17082'],
  ] as const) {
    if (!Object.hasOwn(doc, part)) throw new CommandError(code, `Missing '${part}' parameter to $cond`)
  }
  return [doc.if, doc.then, doc.else]
}

function ifNull(argument: Value, compiler: Compiler): Expression {
  const choices = operands(argument).map((operand) => compiler.compile(operand))
  if (choices.length < 2) {
    throw new CommandError('Location1257300', `$ifNull needs at least two arguments, had: ${choices.length}`)
  }
  return (frame) => {
    let value: Value
    for (const choice of choices) {
      value = choice(frame)
      if (!isNullish(value)) break
    }
    return value
  }
}

function switched(argument: Value, compiler: Compiler): Expression {
  const doc = asDoc(argument)
  if (!doc)
    throw new CommandError('Location40060', `$switch requires an object as an argument, found: ${typeOf(argument)}`)
  const unknown = Object.keys(doc).find((name) => name !== 'branches' && name !== 'default')
  if (unknown !== undefined) throw new CommandError('Location40067', `$switch found an unknown argument: ${unknown}`)
  const given = fieldOf(doc, 'branches')
  if (given !== undefined && !Array.isArray(given)) {
    throw new CommandError('Location40061', `$switch expected an array for 'branches', found: ${typeOf(given)}`)
  }
  if (!given?.length) throw new CommandError('Location40068', '$switch requires at least one branch.')
  const compiled = given.map((branch) => switchBranch(branch, compiler))
  const fallback = Object.hasOwn(doc, 'default') ? compiler.compile(doc.default) : undefined
  return (frame) => {
    const taken = compiled.find(([test]) => isTrue(test(frame)))?.[1] ?? fallback
    if (taken) return taken(frame)
    throw new CommandError(
      'Location40066',
      '$switch could not find a matching branch for an input, and no default was specified.',
    )
  }
}

function switchBranch(branch: Value, compiler: Compiler): readonly [Expression, Expression] {
  const doc = asDoc(branch)
  if (!doc)
    throw new CommandError('Location40062', `$switch expected each branch to be an object, found: ${typeOf(branch)}`)
  const unknown = Object.keys(doc).find((name) => name !== 'case' && name !== 'then')
  if (unknown !== undefined)
    throw new CommandError('Location40063', `$switch found an unknown argument to a branch: ${unknown}`)
  if (!Object.hasOwn(doc, 'case'))
    throw new CommandError('Location40064', "$switch requires each branch have a 'case' expression")
  if (!Object.hasOwn(doc, 'then'))
    throw new CommandError('Location40065', "$switch requires each branch have a 'then' expression.")
  return [compiler.compile(doc.case), compiler.compile(doc.then)]
}

function bound(argument: Value, compiler: Compiler): Expression {
  const doc = asDoc(argument)
  if (!doc) throw new CommandError('Location16874', '$let only supports an object as its argument')
  const unknown = Object.keys(doc).find((name) => name !== 'vars' && name !== 'in')
  if (unknown !== undefined) throw new CommandError('Location16875', `Unrecognized parameter to $let: ${unknown}`)
  const vars = asDoc(doc.vars)
  if (!vars) throw new CommandError('Location16876', "Missing 'vars' parameter to $let")
  if (!Object.hasOwn(doc, 'in')) throw new CommandError('Location16877', "Missing 'in' parameter to $let")
  const names = Object.keys(vars)
  names.forEach(checkVariableName)
  const values = names.map((name) => [name, compiler.compile(vars[name])] as const)
  const body = compiler.compile(doc.in, names)
  return (frame) => {
    const own = Object.fromEntries(values.map(([name, value]) => [name, value(frame)]))
    return body({ root: frame.root, variables: { ...frame.variables, ...own } })
  }
}

/** Refuses what MongoDB refuses as the name of a user variable: it begins with a lower-case letter. */
export function checkVariableName(name: string): void {
  if (name === '') throw new CommandError('FailedToParse', 'empty variable names are not allowed')
  if (!/^[a-z\u0080-\uffff][\w\u0080-\uffff]*$/.test(name)) {
    throw new CommandError('FailedToParse', `'${name}' contains an invalid character for a variable name`)
  }
}
