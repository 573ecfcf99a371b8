import type { Scope } from '../aggregation/operators.ts'
import { equalValues } from '../bson/compare.ts'
import { identicalValues } from '../bson/identity.ts'
import { fieldOf, setField } from '../bson/values.ts'
import type { Doc } from '../bson/values.ts'
import { CommandError } from '../errors/command-error.ts'
import { compilePosition } from '../query/match.ts'
import { compileModifiers } from './operators.ts'
import { compileUpdatePipeline } from './pipeline.ts'
import { applyTree } from './tree.ts'

/** The context of one update; the filter that found the document determines the index of a positional `$`. */
export type UpdateContext = { inserting: boolean; filter: Doc }

/** A compiled update. `apply` does not modify its input and returns the same object if nothing changes. */
export type Updater = {
  apply(doc: Doc, context: UpdateContext): { doc: Doc; changed: boolean }
  isReplacement: boolean
}

/**
 * Compiles a replacement, an update with operators, or an update pipeline; refuses what MongoDB refuses, with the same
 * codes.
 */
export function compileUpdate(update: Doc | Doc[], scope: Scope): Updater {
  if (Array.isArray(update)) {
    const run = compileUpdatePipeline(update, scope)
    return { apply: (doc) => keepId(doc, run(doc)), isReplacement: false }
  }
  const [first] = Object.keys(update)
  if (first?.startsWith('$')) return compileOperators(update)
  const dollar = Object.keys(update).find((name) => name.startsWith('$'))
  if (dollar !== undefined) {
    throw new CommandError(
      'DollarPrefixedFieldName',
      `The dollar ($) prefixed field '${dollar}' in '${dollar}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
    )
  }
  return { apply: (doc) => keepId(doc, update), isReplacement: true }
}

function compileOperators(update: Doc): Updater {
  const tree = compileModifiers(update, false)
  const positionIn = positionFinder()
  return {
    isReplacement: false,
    apply(doc, { inserting, filter }) {
      const updated = applyTree(inserting ? compileModifiers(update, true) : tree, doc, () => positionIn(doc, filter))
      if (updated === doc) return { doc, changed: false }
      const id = fieldOf(doc, '_id')
      if (id !== undefined && !equalValues(id, fieldOf(updated, '_id'))) {
        throw new CommandError(
          'ImmutableField',
          `Performing an update on the path '_id' would modify the immutable field '_id'`,
        )
      }
      return { doc: inserting ? withIdFirst(updated) : updated, changed: true }
    },
  }
}

/** Finds the array index that the filter matched; compiles the filter lazily and once. */
function positionFinder(): (doc: Doc, filter: Doc) => number | undefined {
  const compiled = new WeakMap<Doc, (doc: Doc) => number | undefined>()
  return (doc, filter) => {
    const find = compiled.get(filter) ?? compilePosition(filter)
    compiled.set(filter, find)
    return find(doc)
  }
}

function withIdFirst(doc: Doc): Doc {
  return Object.hasOwn(doc, '_id') ? { _id: fieldOf(doc, '_id'), ...doc } : doc
}

/** The new document with the old `_id` as its first field; refuses a different `_id`. */
function keepId(doc: Doc, update: Doc): { doc: Doc; changed: boolean } {
  const old = fieldOf(doc, '_id')
  const id = fieldOf(update, '_id') ?? old
  if (old !== undefined && !equalValues(old, id)) {
    throw new CommandError(
      'ImmutableField',
      `After applying the update, the (immutable) field '_id' was found to have been altered`,
    )
  }
  const next: Doc = id === undefined ? {} : { _id: id }
  for (const name of Object.keys(update)) if (name !== '_id') setField(next, name, update[name])
  return identicalValues(doc, next) ? { doc, changed: false } : { doc: next, changed: true }
}
