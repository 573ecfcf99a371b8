import { Double, Int32 } from 'bson'
import { flag } from './arguments.ts'
import type { Call, Command } from './command.ts'
import { ensureCollection, storeOf } from './command.ts'
import { newDocument } from './documents.ts'
import { CommandError } from '../errors/command-error.ts'
import { insertRow } from '../storage/records.ts'
import { runStatements } from './write-results.ts'

export const insert: Command = {
  kind: 'write',
  // There are no validators to bypass.
  fields: ['documents', 'ordered', 'bypassDocumentValidation'],
  transactional: true,
  retryable: true,
  run(call) {
    const documents = documentsOf(call)
    const ordered = flag({ name: call.name, doc: call.body }, 'ordered', true)
    const collection = ensureCollection(call)
    const store = storeOf(call)
    let n = 0
    const writeErrors = runStatements(documents, ordered, (document) => {
      insertRow(store, collection, newDocument(document))
      n += 1
    })
    return { n: new Int32(n), ...(writeErrors.length > 0 && { writeErrors }), ok: new Double(1) }
  },
}

/** `decodeExcept` has left the documents as bytes. */
function documentsOf(call: Call): readonly Uint8Array[] {
  const beside = call.sequences.get('documents')
  if (beside) return beside
  const documents: unknown = call.body.documents
  if (!Array.isArray(documents)) {
    throw new CommandError('IDLFailedToParse', "BSON field 'insert.documents' is missing but a required field")
  }
  return documents.map((document: unknown) => {
    if (document instanceof Uint8Array) return document
    throw new CommandError('TypeMismatch', "BSON field 'insert.documents' has an element that is not an object")
  })
}
