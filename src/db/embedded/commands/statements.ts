import { checkDocument, decode } from '../bson/bytes.ts'
import type { Doc } from '../bson/values.ts'
import { prepareQuery } from '../engine/execute.ts'
import type { Query } from '../engine/execute.ts'
import { rowById } from '../storage/records.ts'
import type { Row } from '../storage/records.ts'
import { requiredDocs } from './arguments.ts'
import { findCollection } from './command.ts'
import type { Call } from './command.ts'

/** The statements of an update or delete, from the body or from a document sequence. */
export function statementsOf(call: Call, field: 'updates' | 'deletes'): readonly Doc[] {
  const sequence = call.sequences.get(field)
  return sequence ? sequence.map(decodeChecked) : requiredDocs({ name: call.name, doc: call.body }, field)
}

function decodeChecked(bytes: Buffer): Doc {
  checkDocument(bytes)
  return decode(bytes)
}

/**
 * Finds the documents for a write. All are found before the first is changed, so that a document that moves is not
 * found twice. For multiple documents only the row ids are kept.
 */
export function* rowsToChange(call: Call, query: Query): Generator<Row> {
  const collection = findCollection(call)
  const { rows } = prepareQuery(call.engine.connection, collection, query)
  if (query.limit === 1) {
    const [only] = rows()
    if (only) yield only
    return
  }
  const rowids: number[] = []
  for (const { rowid } of rows()) rowids.push(rowid)
  for (const rowid of rowids) {
    const bytes = collection && rowById(call.engine.connection, collection, rowid)
    if (bytes) yield { rowid, bytes }
  }
}
