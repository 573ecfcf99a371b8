import { asDoc, fieldOf, setField } from '../bson/values.ts'
import type { Doc, Value } from '../bson/values.ts'
import { CommandError } from '../errors/command-error.ts'
import { isOperatorDoc } from '../query/match.ts'
import { checkPath } from '../query/projection.ts'
import { compileExpression } from './expressions.ts'
import type { Scope } from './operators.ts'

/**
 * Compiles `{path: expression}` in the form of `$set` and `$project`. The result sets the fields in a copy of `base`,
 * with values calculated from `root`, and removes fields whose value is missing. Refuses nested specifications
 * (CommandNotSupported).
 */
export function compileComputedFields(spec: Doc, scope: Scope, stage: string): (base: Doc, root: Doc) => Doc {
  const paths = Object.keys(spec)
  paths.forEach(checkPath)
  refuseConflicts(paths, stage)
  const fields = paths.map((path) => {
    const value = spec[path]
    if (asDoc(value) && !isOperatorDoc(value)) {
      throw new CommandError(
        'CommandNotSupported',
        `A document for '${path}' in ${stage} is not supported by this store`,
      )
    }
    return { parts: path.split('.'), expression: compileExpression(value, scope) }
  })
  return (base, root) => fields.reduce((doc, { parts, expression }) => assign(doc, parts, expression(root)), base)
}

function refuseConflicts(paths: readonly string[], stage: string): void {
  for (const path of paths) {
    if (!paths.some((other) => other.startsWith(`${path}.`))) continue
    throw new CommandError('Location40176', `Invalid ${stage} :: specification contains two conflicting paths: ${path}`)
  }
}

/** A copy with the value at the path; without the field if the value is undefined. */
export function assign(doc: Doc, [name = '', ...rest]: readonly string[], value: Value): Doc {
  const copy = { ...doc }
  const next = rest.length === 0 ? value : assignWithin(fieldOf(doc, name), rest, value)
  if (next === undefined) delete copy[name]
  else setField(copy, name, next)
  return copy
}

/** Sets a field of a document or of each element of an array; any other value is replaced by a new document. */
function assignWithin(value: Value, parts: readonly string[], field: Value): Value {
  if (Array.isArray(value)) return value.map((element) => assignWithin(element, parts, field))
  return assign(asDoc(value) ?? {}, parts, field)
}
