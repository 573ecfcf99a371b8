import { CommandError } from '../errors/command-error.ts'
import type { Modifier } from './tree.ts'
import { identicalValues } from '../bson/identity.ts'
import { arrayIndex } from '../bson/path.ts'
import { asDoc, fieldOf } from '../bson/compare.ts'
import type { Doc, Value } from '../bson/compare.ts'

/** `$rename`: one modifier that sets the new field, one that removes the old; neither path may lead through an array. */
export function renames(from: string, to: Value): Modifier[] {
  if (typeof to !== 'string') throw new CommandError('BadValue', `The 'to' field for $rename must be a string: ${from}`)
  if (from === to) throw new CommandError('BadValue', `The source and target field for $rename must differ: ${from}`)
  for (const [what, path] of [
    ['source', from],
    ['destination', to],
  ] as const) {
    if (path === '' || path.split('.').includes('')) {
      throw new CommandError(
        'EmptyFieldName',
        `The update path '${path}' contains an empty field name, which is not allowed.`,
      )
    }
    if (path.split('.').some((part) => part.startsWith('$'))) {
      throw new CommandError('BadValue', `The ${what} field for $rename may not be dynamic: ${path}`)
    }
  }
  const set: Modifier = {
    operator: '$rename',
    path: to,
    barred: 'ignore',
    apply(value, { root }) {
      const moved = plainValue(root, from, 'source')
      if (moved === undefined) return value
      plainValue(root, to, 'destination')
      return identicalValues(value, moved) ? value : moved
    },
  }
  const remove: Modifier = { operator: '$rename', path: from, barred: 'ignore', apply: () => undefined }
  return [set, remove]
}

function plainValue(root: Doc, path: string, what: 'source' | 'destination'): Value {
  let value: Value = root
  for (const part of path.split('.')) {
    if (Array.isArray(value) && arrayIndex(part) >= 0) {
      throw new CommandError(
        'BadValue',
        `The ${what} field cannot be an array element, '${path}' runs through an array`,
      )
    }
    const doc = asDoc(value)
    if (doc === undefined && value !== undefined) {
      throw new CommandError('PathNotViable', `Cannot use the part (${part}) of (${path}) to traverse the element`)
    }
    value = doc && fieldOf(doc, part)
  }
  return value
}
