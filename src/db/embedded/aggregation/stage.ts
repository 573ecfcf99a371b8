import type { Doc, Value } from '../bson/values.ts'
import type { Scope } from './operators.ts'

/** A stream of documents to a stream of documents; lazy where the stage allows it. */
export type Pipeline = (input: Iterable<Doc>) => Iterable<Doc>

/** The context of a stage: the command's scope, and a lookup in other collections. */
export type StageContext = { scope: Scope; find(collection: string, filter: Doc): Iterable<Doc> }

/** Compiles the argument of one stage. */
export type Stage = (argument: Value, context: StageContext) => Pipeline

/** A stage that maps each document, or drops it if `change` returns undefined. */
export function eachDoc(change: (doc: Doc) => Doc | undefined): Pipeline {
  return function* (input) {
    for (const doc of input) {
      const changed = change(doc)
      if (changed) yield changed
    }
  }
}
