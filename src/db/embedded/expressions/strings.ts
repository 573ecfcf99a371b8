import { BSONRegExp, Int32 } from 'bson'
import { between, fixed, isNullish, operands } from './frame.ts'
import type { Compiler, Expression, Operators } from './frame.ts'
import { named } from './logic.ts'
import type { CodeName } from '../errors/command-error.ts'
import { CommandError } from '../errors/command-error.ts'
import { compileRegex } from '../query/regex.ts'
import { textOf } from './text.ts'
import { isNumber, toExactInteger } from '../bson/numbers.ts'
import { asDoc, typeOf } from '../bson/compare.ts'
import type { Value } from '../bson/compare.ts'

/** Operators on strings; positions and lengths count code points. */
export const strings: Operators = {
  $concat: (argument, compiler) => {
    const parts = operands(argument).map((part) => compiler.compile(part))
    return (frame) => {
      const values = parts.map((part) => part(frame))
      if (values.some(isNullish)) return null
      return values.map((value) => stringFor(value, 'Location16702', '$concat only supports strings, not')).join('')
    }
  },
  $toLower: fixed(1, ([value], name) => textOf(value, name).replace(/[A-Z]/g, (letter) => letter.toLowerCase())),
  $toUpper: fixed(1, ([value], name) => textOf(value, name).replace(/[a-z]/g, (letter) => letter.toUpperCase())),
  $strLenCP: fixed(
    1,
    ([value], name) =>
      new Int32([...stringFor(value, 'Location34471', `${name} requires a string argument, found:`)].length),
  ),
  $substrCP: fixed(3, substring),
  $split: fixed(2, split),
  $trim: (argument, compiler, name) => trimmed(argument, compiler, { name, start: true, end: true }),
  $ltrim: (argument, compiler, name) => trimmed(argument, compiler, { name, start: true, end: false }),
  $rtrim: (argument, compiler, name) => trimmed(argument, compiler, { name, start: false, end: true }),
  $indexOfCP: between([2, 4], indexOf),
  $regexMatch: regexMatch,
}

function stringFor(value: Value, code: CodeName, complaint: string): string {
  if (typeof value === 'string') return value
  throw new CommandError(code, `${complaint} ${typeOf(value)}`)
}

function substring([value, from, count]: Value[], name: string): string {
  const characters = [...textOf(value, name)]
  const start = positionFor(from, 'Location34450', `${name}: starting index must be a numeric type`)
  const length = positionFor(count, 'Location34452', `${name}: length must be a numeric type`)
  if (length < 0) throw new CommandError('Location34454', `${name}: length must be a nonnegative integer.`)
  if (start < 0) throw new CommandError('Location34455', `${name}: the starting index must be nonnegative integer.`)
  return characters.slice(start, start + length).join('')
}

function positionFor(value: Value, code: CodeName, complaint: string): number {
  if (!isNumber(value)) throw new CommandError(code, `${complaint} (is BSON type ${typeOf(value)})`)
  const position = toExactInteger(value)
  if (position === undefined || position > 2n ** 31n - 1n) {
    throw new CommandError(code, `${complaint} that fits into a 32-bit integer`)
  }
  return Number(position)
}

function split([value, separator]: Value[]): Value {
  if (isNullish(value) || isNullish(separator)) return null
  const text = stringFor(
    value,
    'Location40085',
    '$split requires an expression that evaluates to a string as a first argument, found:',
  )
  const by = stringFor(
    separator,
    'Location40086',
    '$split requires an expression that evaluates to a string as a second argument, found:',
  )
  if (by === '') throw new CommandError('Location40087', '$split requires a non-empty separator')
  return text.split(by)
}

const whitespace = [...'\0 \t\n\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a']

function trimmed(argument: Value, compiler: Compiler, how: { name: string; start: boolean; end: boolean }): Expression {
  const { input, chars } = named(argument, compiler, { operator: how.name, required: ['input'], optional: ['chars'] })
  return (frame) => {
    const value = input?.(frame)
    if (isNullish(value)) return null
    const text = [...stringFor(value, 'Location50699', `${how.name} requires its input to be a string, got`)]
    const unwanted = chars?.(frame)
    if (chars && isNullish(unwanted)) return null
    const set = chars
      ? [...stringFor(unwanted, 'Location50700', `${how.name} requires 'chars' to be a string, got`)]
      : whitespace
    const kept = (character: string) => !set.includes(character)
    const start = how.start ? text.findIndex(kept) : 0
    if (start < 0) return ''
    return text.slice(start, how.end ? text.findLastIndex(kept) + 1 : undefined).join('')
  }
}

function indexOf([value, wanted, from, to]: Value[], name: string): Value {
  if (isNullish(value)) return null
  const text = [...stringFor(value, 'Location40093', `${name} requires a string as the first argument, found:`)]
  const part = [...stringFor(wanted, 'Location40094', `${name} requires a string as the second argument, found:`)]
  const start = from === undefined ? 0 : bound(from, name, 'starting')
  const end = Math.min(to === undefined ? text.length : bound(to, name, 'ending'), text.length)
  for (let i = start; i + part.length <= end; i++) {
    if (part.every((character, j) => character === text[i + j])) return new Int32(i)
  }
  return new Int32(-1)
}

function bound(value: Value, name: string, which: string): number {
  const position = toExactInteger(value)
  if (position === undefined) {
    throw new CommandError(
      'Location40096',
      `${name} requires an integral ${which} index, found a value of type: ${typeOf(value)}`,
    )
  }
  if (position < 0n)
    throw new CommandError('Location40097', `${name} requires a nonnegative ${which} index, found: ${position}`)
  return Number(position)
}

function regexMatch(argument: Value, compiler: Compiler, name: string): Expression {
  const parts = named(argument, compiler, { operator: name, required: ['input', 'regex'], optional: ['options'] })
  const literal = asDoc(argument)?.regex
  const constant = literal instanceof BSONRegExp && parts.options === undefined
  const ready = constant ? compileRegex(literal.pattern, literal.options) : undefined
  return (frame) => {
    const value = parts.input?.(frame)
    if (!isNullish(value)) stringFor(value, 'Location51104', `${name} needs 'input' to be of type string`)
    const regex = ready ?? regexFor(parts.regex?.(frame), parts.options?.(frame), name)
    return typeof value === 'string' && regex !== undefined && regex.test(value)
  }
}

function regexFor(pattern: Value, options: Value, name: string): RegExp | undefined {
  if (isNullish(pattern)) return undefined
  if (!isNullish(options) && typeof options !== 'string') {
    throw new CommandError('Location51106', `${name} needs 'options' to be of type string`)
  }
  if (typeof pattern === 'string') return compileRegex(pattern, options ?? '')
  if (!(pattern instanceof BSONRegExp)) {
    throw new CommandError('Location51105', `${name} needs 'regex' to be of type string or regex`)
  }
  if (pattern.options !== '' && !isNullish(options)) {
    throw new CommandError(
      'Location51107',
      `${name}: found regex option(s) specified in both 'regex' and 'option' fields`,
    )
  }
  return compileRegex(pattern.pattern, isNullish(options) ? pattern.options : options)
}
