import { CommandError } from '../errors/command-error.ts'
import { compileModifiers } from './operators.ts'
import { compileArrayFilters } from './positions.ts'
import { compileUpdatePipeline } from './pipeline.ts'
import { applyTree, collectIdentifiers } from './tree.ts'
import { compilePosition } from '../query/match.ts'
import { identicalValues } from '../bson/identity.ts'
import { equalValues, fieldOf, setField } from '../bson/compare.ts'
import type { Doc, Scope } from '../bson/compare.ts'

export { upsertSeed } from './upsert.ts'

/** How one document is updated: the filter that found it tells what a positional `$` stands for. */
export type How = { inserting: boolean; filter: Doc }

/** A compiled update; `apply` leaves its input alone and answers the input itself when nothing changes. */
export type Updater = {
  apply(doc: Doc, how: How): { doc: Doc; changed: boolean }
  isReplacement: boolean
}

type Options = { arrayFilters?: Doc[]; scope: Scope }

/** Compiles a replacement, an update with operators, or an update pipeline; refuses what MongoDB refuses, with its codes. */
export function compileUpdate(update: Doc | Doc[], { arrayFilters, scope }: Options): Updater {
  if (Array.isArray(update)) {
    if (arrayFilters !== undefined) {
      throw new CommandError('FailedToParse', 'Cannot specify arrayFilters and a pipeline update')
    }
    const run = compileUpdatePipeline(update, scope)
    return { apply: (doc) => keepingId(doc, run(doc)), isReplacement: false }
  }
  const [first] = Object.keys(update)
  if (first?.startsWith('$')) return compileOperators(update, arrayFilters ?? [], scope)
  const dollar = Object.keys(update).find((name) => name.startsWith('$'))
  if (dollar !== undefined) {
    throw new CommandError(
      'DollarPrefixedFieldName',
      `The dollar ($) prefixed field '${dollar}' in '${dollar}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
    )
  }
  if (arrayFilters?.length)
    throw new CommandError('FailedToParse', 'arrayFilters may not be specified for replacement-style updates')
  return { apply: (doc) => keepingId(doc, update), isReplacement: true }
}

function compileOperators(update: Doc, arrayFilters: Doc[], scope: Scope): Updater {
  const filters = compileArrayFilters(arrayFilters, scope)
  const tree = compileModifiers(update, scope, false)
  checkIdentifiers(collectIdentifiers(tree), filters)
  const positions = positionFinder(scope)
  return {
    isReplacement: false,
    apply(doc, how) {
      const context = { root: doc, inserting: how.inserting, filters, position: () => positions(doc, how.filter) }
      const updated = applyTree(how.inserting ? compileModifiers(update, scope, true) : tree, doc, context)
      if (updated === doc) return { doc, changed: false }
      const id = fieldOf(doc, '_id')
      if (id !== undefined && !equalValues(id, fieldOf(updated, '_id'))) {
        throw new CommandError(
          'ImmutableField',
          `Performing an update on the path '_id' would modify the immutable field '_id'`,
        )
      }
      return { doc: how.inserting ? withIdFirst(updated) : updated, changed: true }
    },
  }
}

function checkIdentifiers(used: Map<string, string>, filters: ReadonlyMap<string, unknown>): void {
  for (const [identifier, path] of used) {
    if (!filters.has(identifier)) {
      throw new CommandError('BadValue', `No array filter found for identifier '${identifier}' in path '${path}'`)
    }
  }
  for (const identifier of filters.keys()) {
    if (!used.has(identifier)) {
      throw new CommandError(
        'FailedToParse',
        `The array filter for identifier '${identifier}' was not used in the update`,
      )
    }
  }
}

/** Finds the array index that the filter matched; the filter is compiled once, and only when an update asks. */
function positionFinder(scope: Scope): (doc: Doc, filter: Doc) => number | undefined {
  const compiled = new WeakMap<Doc, (doc: Doc) => number | undefined>()
  return (doc, filter) => {
    const find = compiled.get(filter) ?? compilePosition(filter, scope)
    compiled.set(filter, find)
    return find(doc)
  }
}

function withIdFirst(doc: Doc): Doc {
  return Object.hasOwn(doc, '_id') ? { _id: fieldOf(doc, '_id'), ...doc } : doc
}

/** The new document under the old `_id`, which comes first; a different `_id` is refused. */
function keepingId(doc: Doc, wanted: Doc): { doc: Doc; changed: boolean } {
  const old = fieldOf(doc, '_id')
  const id = fieldOf(wanted, '_id') ?? old
  if (old !== undefined && !equalValues(old, id)) {
    throw new CommandError(
      'ImmutableField',
      `After applying the update, the (immutable) field '_id' was found to have been altered`,
    )
  }
  const next: Doc = id === undefined ? {} : { _id: id }
  for (const name of Object.keys(wanted)) if (name !== '_id') setField(next, name, wanted[name])
  return identicalValues(doc, next) ? { doc, changed: false } : { doc: next, changed: true }
}
