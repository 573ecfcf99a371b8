import { asDoc, fieldOf, setField } from '../bson/values.ts'
import type { Doc, Value } from '../bson/values.ts'
import { CommandError } from '../errors/command-error.ts'
import { checkPath } from '../query/projection.ts'
import { expressionOperators } from './operators.ts'
import type { Expression, Scope } from './operators.ts'

/** The variables of expressions, by name. */
export const expressionVariables: ReadonlyMap<string, (scope: Scope) => Value> = new Map([
  ['NOW', ({ now }: Scope) => now],
])

/**
 * Compiles an aggregation expression: a field path, a variable, an operator, a document or array of expressions, or a
 * constant. Refuses unsupported operators (InvalidPipelineOperator).
 */
export function compileExpression(expression: Value, scope: Scope): Expression {
  if (typeof expression === 'string') return compileText(expression, scope)
  if (Array.isArray(expression)) {
    const elements = expression.map((element) => compileExpression(element, scope))
    return (root) => elements.map((element) => element(root) ?? null)
  }
  const doc = asDoc(expression)
  return doc ? compileDoc(doc, scope) : () => expression
}

function compileText(expression: string, scope: Scope): Expression {
  if (!expression.startsWith('$')) return () => expression
  if (expression.startsWith('$$')) return compileVariable(expression.slice(2), scope)
  const path = expression.slice(1)
  if (path === '') throw new CommandError('Location16872', "'$' by itself is not a valid FieldPath")
  checkPath(path)
  const parts = path.split('.')
  const [only] = parts
  if (only !== undefined && parts.length === 1) return (root) => fieldOf(root, only)
  return (root) => valueAt(root, parts, 0)
}

function compileVariable(path: string, scope: Scope): Expression {
  const variable = expressionVariables.get(path)
  if (!variable) throw new CommandError('Location17276', `Use of undefined variable: ${path}`)
  return () => variable(scope)
}

/** Follows a field path; through an array it collects the values of the element documents. */
function valueAt(value: Value, parts: readonly string[], from: number): Value {
  let current = value
  for (let at = from; at < parts.length; at++) {
    if (Array.isArray(current)) {
      return current.flatMap((element) => {
        const next = asDoc(element) ? valueAt(element, parts, at) : undefined
        return next === undefined ? [] : [next]
      })
    }
    const doc = asDoc(current)
    if (!doc) return undefined
    current = fieldOf(doc, parts[at] ?? '')
  }
  return current
}

function compileDoc(doc: Doc, scope: Scope): Expression {
  const names = Object.keys(doc)
  const name = names.find((one) => one.startsWith('$'))
  if (name === undefined) return compileFields(doc, scope)
  if (names.length > 1) {
    throw new CommandError('Location15983', 'An object representing an expression must have exactly one field')
  }
  const operator = expressionOperators.get(name)
  if (!operator) throw new CommandError('InvalidPipelineOperator', `Unrecognized expression '${name}'`)
  return operator(doc[name], (operand) => compileExpression(operand, scope), name)
}

function compileFields(doc: Doc, scope: Scope): Expression {
  const fields = Object.keys(doc).map((name) => {
    if (name.includes('.')) {
      throw new CommandError(
        'Location16412',
        `FieldPath field names may not contain '.'. Consider using $getField or $setField.`,
      )
    }
    return [name, compileExpression(doc[name], scope)] as const
  })
  return (root) => {
    const made: Doc = {}
    for (const [name, expression] of fields) {
      const value = expression(root)
      if (value !== undefined) setField(made, name, value)
    }
    return made
  }
}
