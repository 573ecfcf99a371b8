import { Double, Long } from 'bson'
import { compareValues } from '../bson/compare.ts'
import { isNumber, subtract, toDouble, toExactInteger } from '../bson/numbers.ts'
import { asDoc, isTruthy, typeOf } from '../bson/values.ts'
import type { Doc, Value } from '../bson/values.ts'
import { CommandError } from '../errors/command-error.ts'
import { truncateDate } from './date-trunc.ts'
import { createSum } from './sum.ts'

/** Values that are constant during one command; `now` is the value of `$$NOW`. */
export type Scope = { now: Date }

/** A compiled expression: returns the value for one document, undefined for a missing field. */
export type Expression = (root: Doc) => Value

/** Compiles the argument of one operator; `name` is used in messages. */
export type Operator = (argument: Value, compile: (operand: Value) => Expression, name: string) => Expression

/** The expression operators, by name. */
export const expressionOperators: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['$literal', (argument) => () => argument],
  ['$gt', fixed(2, ([a, b]) => compareValues(a, b) > 0)],
  ['$gte', fixed(2, ([a, b]) => compareValues(a, b) >= 0)],
  ['$cond', conditional],
  ['$ifNull', ifNull],
  ['$add', evaluated((values) => (values.some(isNullish) ? null : total(values)))],
  ['$subtract', fixed(2, nullable(difference))],
  ['$concat', evaluated((values) => (values.some(isNullish) ? null : values.map(textFor).join('')))],
  ['$split', fixed(2, nullable(split))],
  ['$arrayElemAt', fixed(2, nullable(elementAt))],
  ['$dateTrunc', truncateDate],
])

function isNullish(value: Value): value is null | undefined {
  return value === null || value === undefined
}

/** The operands of an operator: the elements of an array, or the argument itself as the only operand. */
function operandsOf(argument: Value): Value[] {
  return Array.isArray(argument) ? argument : [argument]
}

/** An operator with any number of operands, all of which are evaluated. */
function evaluated(evaluate: (values: Value[]) => Value): Operator {
  return (argument, compile) => {
    const operands = operandsOf(argument).map(compile)
    return (root) => evaluate(operands.map((operand) => operand(root)))
  }
}

/** An operator with a fixed number of operands, all of which are evaluated. */
function fixed(count: number, evaluate: (values: Value[]) => Value): Operator {
  const operator = evaluated(evaluate)
  return (argument, compile, name) => {
    checkCount(operandsOf(argument), count, name)
    return operator(argument, compile, name)
  }
}

function checkCount(operands: Value[], count: number, name: string): void {
  if (operands.length === count) return
  const message = `Expression ${name} takes exactly ${count} arguments. ${operands.length} were passed in.`
  throw new CommandError('Location16020', message)
}

/** Makes an evaluation return null if an operand is null or missing. */
function nullable(evaluate: (values: Value[]) => Value): (values: Value[]) => Value {
  return (values) => (values.some(isNullish) ? null : evaluate(values))
}

function conditional(argument: Value, compile: (operand: Value) => Expression, name: string): Expression {
  if (asDoc(argument)) {
    throw new CommandError('CommandNotSupported', `${name} with a document is not supported by this store`)
  }
  const operands = operandsOf(argument)
  checkCount(operands, 3, name)
  const [test, yes, no] = operands.map(compile)
  return (root) => (isTruthy(test?.(root)) ? yes : no)?.(root)
}

function ifNull(argument: Value, compile: (operand: Value) => Expression): Expression {
  const choices = operandsOf(argument).map(compile)
  if (choices.length < 2) {
    throw new CommandError('Location1257300', `$ifNull needs at least two arguments, had: ${choices.length}`)
  }
  return (root) => {
    let value: Value
    for (const choice of choices) {
      value = choice(root)
      if (!isNullish(value)) break
    }
    return value
  }
}

/** The sum of numbers; if one operand is a date, that date plus the numbers as milliseconds. */
function total(values: Value[]): Value {
  const sum = createSum()
  let date: Date | undefined
  for (const value of values) {
    if (isNumber(value)) sum.add(value)
    else if (!(value instanceof Date)) {
      throw new CommandError('TypeMismatch', `$add only supports numeric or date types, not ${typeOf(value)}`)
    } else if (date) {
      throw new CommandError('Location16612', 'only one date allowed in an $add expression')
    } else {
      date = value
    }
  }
  return date ? later(date, toDouble(sum.total())) : sum.total()
}

function difference([a, b]: Value[]): Value {
  if (a instanceof Date && b instanceof Date) return Long.fromNumber(a.getTime() - b.getTime())
  if (a instanceof Date && isNumber(b)) return later(a, -toDouble(b))
  if (isNumber(a) && isNumber(b)) return subtract(a, b) ?? new Double(toDouble(a) - toDouble(b))
  throw new CommandError('TypeMismatch', `can't $subtract ${typeOf(b)} from ${typeOf(a)}`)
}

/** Adds milliseconds to a date; refuses a result that a `Date` cannot represent. */
function later(date: Date, ms: number): Date {
  const moved = new Date(date.getTime() + Math.round(ms))
  if (Number.isNaN(moved.getTime())) throw new CommandError('Overflow', 'date overflow')
  return moved
}

function textFor(value: Value): string {
  if (typeof value === 'string') return value
  throw new CommandError('Location16702', `$concat only supports strings, not ${typeOf(value)}`)
}

function split([text, separator]: Value[]): Value {
  if (typeof text !== 'string') {
    throw new CommandError('Location40085', `$split requires a string as a first argument, found: ${typeOf(text)}`)
  }
  if (typeof separator !== 'string') {
    const message = `$split requires a string as a second argument, found: ${typeOf(separator)}`
    throw new CommandError('Location40086', message)
  }
  if (separator === '') throw new CommandError('Location40087', '$split requires a non-empty separator')
  return text.split(separator)
}

/** The element at an index; a negative index counts from the end. Missing if the index is out of range. */
function elementAt([array, index]: Value[]): Value {
  if (!Array.isArray(array)) {
    const message = `$arrayElemAt's first argument must be an array, but is ${typeOf(array)}`
    throw new CommandError('Location28689', message)
  }
  if (!isNumber(index)) {
    const message = `$arrayElemAt's second argument must be a numeric value, but is ${typeOf(index)}`
    throw new CommandError('Location28690', message)
  }
  const whole = toExactInteger(index)
  if (whole === undefined || whole !== BigInt.asIntN(32, whole)) {
    const message = "$arrayElemAt's second argument must be representable as a 32-bit integer"
    throw new CommandError('Location28691', message)
  }
  return array.at(Number(whole))
}
