import { hashKey } from '../bson/hash.ts'
import { asDoc, fieldOf, setField } from '../bson/values.ts'
import type { Doc, Value } from '../bson/values.ts'
import { CommandError } from '../errors/command-error.ts'
import { accumulators } from './accumulators.ts'
import type { Accumulator } from './accumulators.ts'
import { compileExpression } from './expressions.ts'
import type { Expression, Scope } from './operators.ts'
import type { Pipeline, StageContext } from './stage.ts'

type Field = { name: string; create: () => Accumulator; expression: Expression }

/** `$group`: returns groups in the order of their first document. */
export function group(argument: Value, { scope }: StageContext): Pipeline {
  const spec = asDoc(argument)
  if (!spec) throw new CommandError('Location15947', "a group's fields must be specified in an object")
  if (!Object.hasOwn(spec, '_id')) throw new CommandError('Location15955', 'a group specification must include an _id')
  const { _id, ...rest } = spec
  const id = compileExpression(_id, scope)
  const fields = Object.keys(rest).map((name) => fieldFrom(name, rest[name], scope))
  return (input) => {
    const groups = new Map<string, { id: Value; values: Accumulator[] }>()
    for (const doc of input) {
      const key = id(doc) ?? null
      const hash = hashKey(key)
      const known = groups.get(hash) ?? { id: key, values: fields.map((field) => field.create()) }
      groups.set(hash, known)
      for (const [i, field] of fields.entries()) known.values[i]?.add(field.expression(doc))
    }
    return groups.values().map(({ id: key, values }) => {
      const made: Doc = { _id: key }
      for (const [i, field] of fields.entries()) setField(made, field.name, values[i]?.result())
      return made
    })
  }
}

function fieldFrom(name: string, value: Value, scope: Scope): Field {
  if (name.includes('.')) throw new CommandError('Location40235', `The field name '${name}' cannot contain '.'`)
  if (name.startsWith('$')) {
    throw new CommandError('Location40236', `The field name '${name}' cannot be an operator name`)
  }
  const doc = asDoc(value)
  const [operator, second] = Object.keys(doc ?? {})
  if (!doc || operator === undefined || !operator.startsWith('$')) {
    throw new CommandError('Location40234', `The field '${name}' must be an accumulator object`)
  }
  if (second !== undefined) throw new CommandError('Location40238', `The field '${name}' must specify one accumulator`)
  const create = accumulators.get(operator)
  if (!create) throw new CommandError('Location15952', `unknown group operator '${operator}'`)
  const argument = fieldOf(doc, operator)
  if (Array.isArray(argument) && argument.length !== 1 && operator !== '$push' && operator !== '$addToSet') {
    throw new CommandError('Location40237', `The ${operator} accumulator is a unary operator`)
  }
  return { name, create, expression: compileExpression(argument, scope) }
}
