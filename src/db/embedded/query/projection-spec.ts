import { compileExpression } from '../expressions/compile.ts'
import type { Expression } from '../expressions/frame.ts'
import { isTrue } from '../expressions/frame.ts'
import { CommandError } from '../errors/command-error.ts'
import { addPath, noFields } from './projection-tree.ts'
import type { Fields } from './projection-tree.ts'
import { isNumber } from '../bson/numbers.ts'
import { asDoc } from '../bson/compare.ts'
import type { Doc, Scope, Value } from '../bson/compare.ts'

/** Takes what only a find projection knows; answers the field's path and which kind it is, or nothing. */
export type Special = (
  path: string,
  value: Value,
) => { path: string; kind: 'slice' | 'elemMatch' | 'positional' } | undefined

type Entry = { path: string; value: Value }
type Direction = 'include' | 'exclude'
type Parsed = {
  /** Decided by the first field that includes, computes or excludes; the `_id` alone does not. */
  mode?: Direction
  named: string[]
  computed: [string, Expression][]
  specials: { path: string; kind: string }[]
  idRule?: boolean
}

/** Reads a projection and decides whether it includes or excludes; mixing both is refused as MongoDB does. */
export function parseProjection(spec: Doc, scope: Scope, special?: Special): { fields: Fields; mode: Direction } {
  const parsed: Parsed = { named: [], computed: [], specials: [] }
  for (const entry of flatten(spec, '')) {
    const taken = special?.(entry.path, entry.value)
    if (taken) parsed.specials.push(taken)
    else read(parsed, entry, scope)
  }
  const mode = modeOf(parsed)
  const fields = noFields()
  for (const path of parsed.named) addPath(fields, path, 'named')
  if (mode === 'include') for (const { path } of parsed.specials) addPath(fields, path, 'named')
  const computesId = parsed.computed.some(([path]) => path === '_id')
  if ((parsed.idRule ?? true) === (mode === 'include') && !computesId) addPath(fields, '_id', 'named')
  for (const [path, expression] of parsed.computed) addPath(fields, path, { expression })
  return { fields, mode }
}

/** Nested specifications (`{a: {b: 1}}`) as dotted paths. */
function flatten(spec: Doc, above: string): Entry[] {
  return Object.keys(spec).flatMap((name) => {
    const path = above + name
    const value = spec[name]
    const nested = asDoc(value)
    if (!nested) return [{ path, value }]
    const [first] = Object.keys(nested)
    if (first === undefined) {
      throw new CommandError(
        'Location51270',
        `An empty sub-projection is not a valid value. Found empty object at path`,
      )
    }
    return first.startsWith('$') ? [{ path, value }] : flatten(nested, `${path}.`)
  })
}

function read(parsed: Parsed, { path, value }: Entry, scope: Scope): void {
  if (typeof value !== 'boolean' && !isNumber(value)) {
    if (parsed.mode === 'exclude') {
      throw new CommandError('Location31252', 'Cannot use an expression other than $meta in exclusion projection')
    }
    if (path !== '_id') parsed.mode = 'include'
    parsed.computed.push([path, compileExpression(value, scope)])
    return
  }
  if (path === '_id') {
    parsed.idRule = isTrue(value)
    return
  }
  const wanted = isTrue(value) ? 'include' : 'exclude'
  if (parsed.mode !== undefined && parsed.mode !== wanted) {
    throw wanted === 'include'
      ? new CommandError('Location31253', `Cannot do inclusion on field ${path} in exclusion projection`)
      : new CommandError('Location31254', `Cannot do exclusion on field ${path} in inclusion projection`)
  }
  parsed.mode = wanted
  parsed.named.push(path)
}

function modeOf({ mode, computed, specials, idRule }: Parsed): Direction {
  const includes = idRule === true || computed.length > 0 || specials.some(({ kind }) => kind !== 'slice')
  if (mode === 'exclude' && specials.some(({ kind }) => kind === 'positional')) {
    throw new CommandError('Location31395', 'positional projection cannot be used with exclusion')
  }
  return mode ?? (includes ? 'include' : 'exclude')
}

/** Reads the fields of `$addFields`: everything is an expression, documents name fields within. */
export function parseAddition(spec: Doc, scope: Scope): Fields {
  const fields = noFields()
  const add = (doc: Doc, above: string) => {
    for (const name of Object.keys(doc)) {
      const nested = asDoc(doc[name])
      const [first] = Object.keys(nested ?? {})
      if (nested && first !== undefined && !first.startsWith('$')) add(nested, `${above}${name}.`)
      else addPath(fields, above + name, { expression: compileExpression(doc[name], scope) })
    }
  }
  add(spec, '')
  return fields
}
