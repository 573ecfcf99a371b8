import { isNullish, isTrue } from './frame.ts'
import type { Compiler, Expression, Frame, Operators } from './frame.ts'
import { arrayFor } from './arrays.ts'
import { checkVariableName } from './logic.ts'
import type { CodeName } from '../errors/command-error.ts'
import { CommandError } from '../errors/command-error.ts'
import { compileSort } from '../query/sort.ts'
import { isNumber, toExactInteger } from '../bson/numbers.ts'
import { asDoc, compareValues, fieldOf, typeOf } from '../bson/compare.ts'
import type { Doc, Value } from '../bson/compare.ts'

/** Operators that evaluate an expression per element. */
export const loops: Operators = { $map: map, $filter: filter, $reduce: reduce, $sortArray: sortArray }

type Rules = { operator: string; notObject: CodeName; unknown: CodeName; parts: Record<string, CodeName | undefined> }

/** The named parts of an operator, checked: a part with a code is required, its absence is refused under that code. */
function partsOf(argument: Value, rules: Rules): Doc {
  const doc = asDoc(argument)
  if (!doc) throw new CommandError(rules.notObject, `${rules.operator} only supports an object as its argument`)
  for (const name of Object.keys(doc)) {
    if (!Object.hasOwn(rules.parts, name)) {
      throw new CommandError(rules.unknown, `Unrecognized parameter to ${rules.operator}: ${name}`)
    }
  }
  for (const [name, code] of Object.entries(rules.parts)) {
    if (code && !Object.hasOwn(doc, name))
      throw new CommandError(code, `Missing '${name}' parameter to ${rules.operator}`)
  }
  return doc
}

function elementName(doc: Doc): string {
  const name = fieldOf(doc, 'as') ?? 'this'
  if (typeof name !== 'string') throw new CommandError('BadValue', "'as' must be a string")
  checkVariableName(name)
  return name
}

function binding(frame: Frame, name: string, value: Value): Frame {
  return { root: frame.root, variables: { ...frame.variables, [name]: value } }
}

function map(argument: Value, compiler: Compiler): Expression {
  const parts = { input: 'Location16880', as: undefined, in: 'Location16882' } as const
  const doc = partsOf(argument, { operator: '$map', notObject: 'Location16878', unknown: 'Location16879', parts })
  const name = elementName(doc)
  const input = compiler.compile(doc.input)
  const body = compiler.compile(doc.in, [name])
  return (frame) => {
    const value = input(frame)
    if (isNullish(value)) return null
    const array = arrayFor(value, 'Location16883', 'input to $map must be an array not')
    return array.map((element) => body(binding(frame, name, element)) ?? null)
  }
}

function filter(argument: Value, compiler: Compiler): Expression {
  const parts = { input: 'Location28648', as: undefined, cond: 'Location28650', limit: undefined } as const
  const doc = partsOf(argument, { operator: '$filter', notObject: 'Location28646', unknown: 'Location28647', parts })
  const name = elementName(doc)
  const input = compiler.compile(doc.input)
  const condition = compiler.compile(doc.cond, [name])
  const limit = Object.hasOwn(doc, 'limit') ? compiler.compile(doc.limit) : undefined
  return (frame) => {
    const value = input(frame)
    if (isNullish(value)) return null
    const array = arrayFor(value, 'Location28651', 'input to $filter must be an array not')
    const most = limit ? limitOf(limit(frame)) : Infinity
    const kept: Value[] = []
    for (const element of array) {
      if (kept.length >= most) break
      if (isTrue(condition(binding(frame, name, element)))) kept.push(element)
    }
    return kept
  }
}

function limitOf(value: Value): number {
  if (isNullish(value)) return Infinity
  const whole = toExactInteger(value)
  if (whole === undefined)
    throw new CommandError('Location327391', '$filter: limit must be represented as a 32-bit integral value')
  if (whole < 1n) throw new CommandError('Location327392', '$filter: limit must be greater than 0')
  return Number(whole)
}

function reduce(argument: Value, compiler: Compiler): Expression {
  const parts = { input: 'Location40077', initialValue: 'Location40078', in: 'Location40079' } as const
  const doc = partsOf(argument, { operator: '$reduce', notObject: 'Location40075', unknown: 'Location40076', parts })
  const input = compiler.compile(doc.input)
  const initial = compiler.compile(doc.initialValue)
  const body = compiler.compile(doc.in, ['this', 'value'])
  return (frame) => {
    const array = input(frame)
    if (isNullish(array)) return null
    const elements = arrayFor(array, 'Location40080', "$reduce requires that 'input' be an array, found:")
    const step = (value: Value, element: Value) =>
      body({ root: frame.root, variables: { ...frame.variables, this: element, value } })
    return elements.reduce(step, initial(frame))
  }
}

function sortArray(argument: Value, compiler: Compiler): Expression {
  const parts = { input: 'Location2942502', sortBy: 'Location2942503' } as const
  const doc = partsOf(argument, {
    operator: '$sortArray',
    notObject: 'Location2942500',
    unknown: 'Location2942501',
    parts,
  })
  const input = compiler.compile(doc.input)
  const order = elementOrder(doc.sortBy)
  return (frame) => {
    const value = input(frame)
    if (isNullish(value)) return null
    return arrayFor(
      value,
      'Location2942504',
      'The input argument to $sortArray must be an array, but was of type:',
    ).toSorted(order)
  }
}

/** Orders whole elements by a direction, or element documents by fields; what is no document counts as an empty one. */
function elementOrder(sortBy: Value): (a: Value, b: Value) => number {
  const fields = asDoc(sortBy)
  if (fields) {
    const byFields = compileSort(fields)
    return (a, b) => byFields(asDoc(a) ?? {}, asDoc(b) ?? {})
  }
  const direction = isNumber(sortBy) ? toExactInteger(sortBy) : undefined
  if (direction !== 1n && direction !== -1n) {
    throw new CommandError('BadValue', `$sortArray: sortBy must be 1, -1 or an object, found: ${typeOf(sortBy)}`)
  }
  return direction === 1n ? compareValues : (a, b) => compareValues(b, a)
}
