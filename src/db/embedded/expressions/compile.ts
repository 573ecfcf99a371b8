import { arithmetic } from './arithmetic.ts'
import { arrays } from './arrays.ts'
import { conversions } from './convert.ts'
import { dateMath } from './date-math.ts'
import { dates } from './dates.ts'
import type { Compiler, Expression, Operator } from './frame.ts'
import { logic } from './logic.ts'
import { loops } from './loops.ts'
import { objects } from './objects.ts'
import { sets } from './sets.ts'
import { strings } from './strings.ts'
import { totals } from './totals.ts'
import { CommandError } from '../errors/command-error.ts'
import { asDoc, fieldOf, setField } from '../bson/compare.ts'
import type { Doc, Scope, Value } from '../bson/compare.ts'

const operators = new Map<string, Operator>(
  [arithmetic, arrays, conversions, dateMath, dates, logic, loops, objects, sets, strings, totals].flatMap((group) =>
    Object.entries(group),
  ),
)

/** Compiles an aggregation expression; operators outside the supported set are refused with code 168. */
export function compileExpression(expression: Value, scope: Scope): Expression {
  return compilerFor(scope, new Set(Object.keys(scope.variables ?? {}))).compile(expression)
}

function compilerFor(scope: Scope, names: ReadonlySet<string>): Compiler {
  return {
    scope,
    compile(expression, variables) {
      const compiler = variables ? compilerFor(scope, new Set([...names, ...variables])) : this
      if (typeof expression === 'string')
        return text(expression, scope, variables ? new Set([...names, ...variables]) : names)
      if (Array.isArray(expression)) return list(expression, compiler)
      const doc = asDoc(expression)
      return doc ? object(doc, compiler) : () => expression
    },
  }
}

function text(expression: string, scope: Scope, names: ReadonlySet<string>): Expression {
  if (!expression.startsWith('$')) return () => expression
  if (expression.startsWith('$$')) return variable(expression.slice(2), scope, names)
  const parts = fieldPath(expression.slice(1))
  const [only] = parts
  if (only !== undefined && parts.length === 1) {
    return ({ root }) => {
      const doc = asDoc(root)
      return doc && fieldOf(doc, only)
    }
  }
  return ({ root }) => valueAt(root, parts)
}

function variable(path: string, scope: Scope, names: ReadonlySet<string>): Expression {
  const [name = '', ...parts] = fieldPath(path)
  const follow = (value: Value) => (parts.length === 0 ? value : valueAt(value, parts))
  switch (name) {
    case 'ROOT':
    case 'CURRENT':
      return ({ root }) => follow(root)
    case 'REMOVE':
      return () => undefined
    case 'NOW':
      return () => follow(scope.now)
    default:
      if (!names.has(name)) throw new CommandError('Location17276', `Use of undefined variable: ${name}`)
      return ({ variables }) => follow(variables[name])
  }
}

function fieldPath(path: string): string[] {
  const parts = path.split('.')
  if (path === '') throw new CommandError('Location16872', "'$' by itself is not a valid FieldPath")
  if (path.endsWith('.')) throw new CommandError('Location40353', "FieldPath must not end with a '.'.")
  if (parts.includes('')) throw new CommandError('Location15998', 'FieldPath field names may not be empty strings.')
  if (parts.some((part) => part.startsWith('$'))) {
    throw new CommandError(
      'Location16410',
      `FieldPath field names may not start with '$'. Consider using $getField or $setField.`,
    )
  }
  return parts
}

/** Follows a field path; through an array it collects the values of the element documents. */
function valueAt(value: Value, parts: readonly string[], from = 0): Value {
  let current = value
  for (let at = from; at < parts.length; at++) {
    if (Array.isArray(current)) {
      const found: Value[] = []
      for (const element of current) {
        const next = asDoc(element) ? valueAt(element, parts, at) : undefined
        if (next !== undefined) found.push(next)
      }
      return found
    }
    const doc = asDoc(current)
    if (!doc) return undefined
    current = fieldOf(doc, parts[at] ?? '')
  }
  return current
}

function list(expressions: Value[], compiler: Compiler): Expression {
  const compiled = expressions.map((expression) => compiler.compile(expression))
  return (frame) => compiled.map((expression) => expression(frame) ?? null)
}

function object(doc: Doc, compiler: Compiler): Expression {
  const names = Object.keys(doc)
  const dollar = names.find((name) => name.startsWith('$'))
  if (dollar === undefined) return fields(doc, compiler)
  if (names.length > 1) {
    throw new CommandError('Location15983', 'An object representing an expression must have exactly one field')
  }
  const operator = operators.get(dollar)
  if (!operator) throw new CommandError('InvalidPipelineOperator', `Unrecognized expression '${dollar}'`)
  return operator(doc[dollar], compiler, dollar)
}

function fields(doc: Doc, compiler: Compiler): Expression {
  const compiled = Object.keys(doc).map((name) => {
    if (name.includes('.')) {
      throw new CommandError(
        'Location16412',
        `FieldPath field names may not contain '.'. Consider using $getField or $setField.`,
      )
    }
    return [name, compiler.compile(doc[name])] as const
  })
  return (frame) => {
    const made: Doc = {}
    for (const [name, expression] of compiled) {
      const value = expression(frame)
      if (value !== undefined) setField(made, name, value)
    }
    return made
  }
}
