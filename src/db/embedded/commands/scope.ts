import { compileExpression } from '../expressions/compile.ts'
import { frameOf } from '../expressions/frame.ts'
import type { Doc, Scope, Value } from '../bson/compare.ts'

/** The scope with the variables of a `let`, whose values are constant expressions. */
export function withVariables(scope: Scope, variables: Doc | undefined): Scope {
  if (!variables) return scope
  const values: Record<string, Value> = { ...scope.variables }
  for (const [name, expression] of Object.entries(variables)) {
    values[name] = compileExpression(expression, scope)(frameOf({}, scope))
  }
  return { ...scope, variables: values }
}
