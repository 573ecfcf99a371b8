import type { Doc, Value } from '../bson/values.ts'
import type { Scope } from './operators.ts'

/** Documents in, documents out, one at a time where the stage allows it. */
export type Pipeline = (input: Iterable<Doc>) => Iterable<Doc>

/** What a stage needs in addition to its argument: the command's scope, and the documents of other collections. */
export type StageContext = { scope: Scope; find(collection: string, filter: Doc): Iterable<Doc> }

/** Compiles one stage's argument. */
export type Stage = (argument: Value, context: StageContext) => Pipeline

/** A stage that turns each document into another, or drops it. */
export function eachDoc(change: (doc: Doc) => Doc | undefined): Pipeline {
  return function* (input) {
    for (const doc of input) {
      const changed = change(doc)
      if (changed) yield changed
    }
  }
}
