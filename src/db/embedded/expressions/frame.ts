import { CommandError } from '../errors/command-error.ts'
import { isNumber, toDouble } from '../bson/numbers.ts'
import type { Doc, Scope, Value } from '../bson/compare.ts'

/** What an expression is evaluated against. */
export type Frame = { root: Value; variables: Readonly<Record<string, Value>> }

/** A compiled aggregation expression; `undefined` is a missing field or `$$REMOVE`. */
export type Expression = (frame: Frame) => Value

/** What an operator sees of the compiler: the command's scope, and the compilation of its operands. */
export type Compiler = {
  readonly scope: Scope
  /** Compiles an operand, in which the given variables may be used in addition. */
  compile(expression: Value, variables?: readonly string[]): Expression
}

/** Compiles one operator's argument; `name` is the operator's, for messages. */
export type Operator = (argument: Value, compiler: Compiler, name: string) => Expression

export type Operators = Readonly<Record<string, Operator>>

/** The frame of one document; the scope's variables are read anew each time, so `$lookup` may rebind them. */
export function frameOf(root: Doc, scope: Scope): Frame {
  return { root, variables: scope.variables ?? {} }
}

/** MongoDB's truth: everything but false, null, missing and the number 0. */
export function isTrue(value: Value): boolean {
  if (isNumber(value)) return toDouble(value) !== 0
  return value !== false && value !== null && value !== undefined
}

/** True for null and missing. */
export function isNullish(value: Value): value is null | undefined {
  return value === null || value === undefined
}

/** The operands of an operator: an array's elements, or the argument itself as the only one. */
export function operands(argument: Value): Value[] {
  return Array.isArray(argument) ? argument : [argument]
}

/** An operator with a fixed number of operands, all evaluated first. */
export function fixed(count: number, evaluate: (values: Value[], name: string) => Value): Operator {
  return (argument, compiler, name) => {
    const given = operands(argument)
    if (given.length !== count) {
      throw new CommandError(
        'Location16020',
        `Expression ${name} takes exactly ${count} arguments. ${given.length} were passed in.`,
      )
    }
    return evaluated(given, compiler, (values) => evaluate(values, name))
  }
}

/** An operator with at least and at most so many operands, all evaluated first. */
export function between(
  range: readonly [number, number],
  evaluate: (values: Value[], name: string) => Value,
): Operator {
  const [least, most] = range
  return (argument, compiler, name) => {
    const given = operands(argument)
    if (given.length < least || given.length > most) {
      throw new CommandError(
        'Location28667',
        `Expression ${name} takes at least ${least} arguments, and at most ${most}, but ${given.length} were passed in.`,
      )
    }
    return evaluated(given, compiler, (values) => evaluate(values, name))
  }
}

function evaluated(given: Value[], compiler: Compiler, evaluate: (values: Value[]) => Value): Expression {
  const expressions = given.map((operand) => compiler.compile(operand))
  return (frame) => evaluate(expressions.map((expression) => expression(frame)))
}

/** Makes an evaluation answer null as soon as an operand is null or missing. */
export function nullable(evaluate: (values: Value[], name: string) => Value): (values: Value[], name: string) => Value {
  return (values, name) => (values.some(isNullish) ? null : evaluate(values, name))
}
