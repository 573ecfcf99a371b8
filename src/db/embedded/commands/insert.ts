import { Double, Int32 } from 'bson'
import { CommandError } from '../errors/command-error.ts'
import { insertRow } from '../storage/records.ts'
import { flag } from './arguments.ts'
import { ensureCollection } from './command.ts'
import type { Call, Command } from './command.ts'
import { newDocument } from './documents.ts'
import { runStatements } from './write-results.ts'

export const insert: Command = {
  kind: 'write',
  fields: ['documents', 'ordered'],
  retryable: true,
  run(call) {
    const documents = documentsOf(call)
    const ordered = flag({ name: call.name, doc: call.body }, 'ordered', true)
    const collection = ensureCollection(call)
    let n = 0
    const writeErrors = runStatements(documents, ordered, (document) => {
      insertRow(call.engine, collection, newDocument(document))
      n += 1
    })
    return { n: new Int32(n), ...(writeErrors.length > 0 && { writeErrors }), ok: new Double(1) }
  },
}

/** The documents as bytes: from a document sequence, or from the body, in which `decodeExcept` left them encoded. */
function documentsOf(call: Call): readonly Uint8Array[] {
  const sequence = call.sequences.get('documents')
  if (sequence) return sequence
  const documents: unknown = call.body['documents']
  if (!Array.isArray(documents)) {
    throw new CommandError('IDLFailedToParse', "BSON field 'insert.documents' is missing but a required field")
  }
  return documents.map((document: unknown) => {
    if (document instanceof Uint8Array) return document
    throw new CommandError('TypeMismatch', "BSON field 'insert.documents' has an element that is not an object")
  })
}
