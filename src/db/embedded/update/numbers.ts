import { Int32, Long } from 'bson'
import { CommandError } from '../errors/command-error.ts'
import type { Apply } from './tree.ts'
import { identicalValues } from '../bson/identity.ts'
import { arithmetic, isNumber, toInteger, widest } from '../bson/numbers.ts'
import { asDoc, compareValues, typeOf } from '../bson/compare.ts'
import type { Value } from '../bson/compare.ts'

/** `$inc` and `$mul`: an int grows to a long, a long that would overflow is refused. */
export function numeric(operation: 'add' | 'multiply', argument: Value): Apply {
  const name = operation === 'add' ? '$inc' : '$mul'
  if (!isNumber(argument)) {
    const verb = operation === 'add' ? 'increment' : 'multiply'
    throw new CommandError('TypeMismatch', `Cannot ${verb} with non-numeric argument`)
  }
  return (value) => {
    if (value !== undefined && !isNumber(value)) {
      throw new CommandError('TypeMismatch', `Cannot apply ${name} to a value of non-numeric type ${typeOf(value)}`)
    }
    if (value === undefined && operation === 'add') return argument
    const result = arithmetic(operation, value ?? new Int32(0), argument)
    if (result === undefined)
      throw new CommandError('BadValue', `Failed to apply ${name} operations to current value: overflow`)
    return value !== undefined && identicalValues(value, result) ? value : result
  }
}

/** `$min` (sign -1) and `$max` (1) in the BSON order. */
export function extreme(argument: Value, sign: 1 | -1): Apply {
  return (value) => (value === undefined || sign * compareValues(argument, value) > 0 ? argument : value)
}

/** `$bit` with `and`, `or`, `xor` on ints and longs. */
export function bit(argument: Value, path: string): Apply {
  const operations = asDoc(argument)
  if (!operations) {
    throw new CommandError(
      'BadValue',
      `The $bit modifier is not compatible with a ${typeOf(argument)}. You must pass in an embedded document: {$bit: {field: {and/or/xor: #}}`,
    )
  }
  const names = Object.keys(operations)
  if (names.length === 0) {
    throw new CommandError(
      'BadValue',
      `You must pass in at least one bitwise operation. The format is: {$bit: {field: {and/or/xor: #}}`,
    )
  }
  const steps = names.map((name) => bitStep(name, operations[name]))
  return (value) => {
    const current = value === undefined ? new Int32(0) : value
    if (!(current instanceof Int32 || current instanceof Long)) {
      throw new CommandError(
        'BadValue',
        `Cannot apply $bit to a value of non-integral type: the field ${path} is of type ${typeOf(value)}`,
      )
    }
    const result = steps.reduce<Int32 | Long>((before, step) => step(before), current)
    return value !== undefined && identicalValues(value, result) ? value : result
  }
}

function bitStep(name: string, operand: Value): (value: Int32 | Long) => Int32 | Long {
  if (name !== 'and' && name !== 'or' && name !== 'xor') {
    throw new CommandError(
      'BadValue',
      `The $bit modifier only supports 'and', 'or', and 'xor', not '${name}' which is an unknown operator`,
    )
  }
  if (!(operand instanceof Int32 || operand instanceof Long)) {
    throw new CommandError(
      'BadValue',
      `The $bit modifier field must be an Integer(32/64 bit); a '${typeOf(operand)}' is not supported`,
    )
  }
  const right = toInteger(operand) ?? 0n
  return (value) => {
    const left = toInteger(value) ?? 0n
    const result = name === 'and' ? left & right : name === 'or' ? left | right : left ^ right
    return widest(value, operand) === 'long' ? Long.fromBigInt(result) : new Int32(Number(result))
  }
}
