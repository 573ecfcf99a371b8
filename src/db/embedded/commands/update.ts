import { Double, Int32 } from 'bson'
import { decode } from '../bson/bytes.ts'
import { asDoc } from '../bson/values.ts'
import type { Doc, Value } from '../bson/values.ts'
import { CommandError } from '../errors/command-error.ts'
import { insertRow, replaceRow } from '../storage/records.ts'
import type { Row } from '../storage/records.ts'
import { compileUpdate } from '../update/compile.ts'
import type { Updater } from '../update/compile.ts'
import { upsertSeed } from '../update/upsert.ts'
import { flag, optionalDocs, refuseUnknown, requiredDoc } from './arguments.ts'
import type { Arguments } from './arguments.ts'
import { ensureCollection, findCollection } from './command.ts'
import type { Call, Command } from './command.ts'
import { updatedDocument } from './documents.ts'
import type { NewDocument } from './documents.ts'
import { rowsToChange, statementsOf } from './statements.ts'
import { runStatements } from './write-results.ts'

export const update: Command = {
  kind: 'write',
  fields: ['updates', 'ordered'],
  retryable: true,
  run(call) {
    const ordered = flag({ name: call.name, doc: call.body }, 'ordered', true)
    const counts = { n: 0, nModified: 0 }
    const upserted: Doc[] = []
    const writeErrors = runStatements(statementsOf(call, 'updates'), ordered, (statement, index) => {
      const id = runUpdate(call, { name: 'update.updates', doc: statement }, counts)
      if (id !== undefined) upserted.push({ index: new Int32(index), _id: id })
    })
    return {
      n: new Int32(counts.n),
      nModified: new Int32(counts.nModified),
      ...(upserted.length > 0 && { upserted }),
      ...(writeErrors.length > 0 && { writeErrors }),
      ok: new Double(1),
    }
  },
}

/** The accepted fields of an `update` statement. */
export const updateFields: readonly string[] = ['q', 'u', 'multi', 'upsert']

/** Runs one statement; returns the `_id` of a document that an upsert inserted. */
function runUpdate(call: Call, from: Arguments, counts: { n: number; nModified: number }): Value {
  refuseUnknown(from, updateFields)
  const filter = requiredDoc(from, 'q')
  const multi = flag(from, 'multi')
  const updater = updaterOf(call, from, 'u')
  if (multi && updater.isReplacement) {
    throw new CommandError('FailedToParse', 'multi update is not supported for replacement-style update')
  }
  let found = 0
  for (const row of rowsToChange(call, { filter, limit: multi ? 0 : 1, deadline: call.deadline })) {
    found += 1
    if (updateRow(call, row, { updater, filter })) counts.nModified += 1
    counts.n += 1
  }
  if (found > 0 || !flag(from, 'upsert')) return undefined
  counts.n += 1
  return upsertRow(call, { updater, filter }).id
}

/** Compiles the update in a field of a command or a statement. */
export function updaterOf(call: Call, from: Arguments, field: string): Updater {
  const value = from.doc[field]
  const change = Array.isArray(value) ? optionalDocs(from, field) : asDoc(value)
  if (!change) throw new CommandError('FailedToParse', 'Update argument must be either an object or an array')
  return compileUpdate(change, call.scope)
}

type Change = { updater: Updater; filter: Doc }

/** Updates one document; returns its new bytes, or undefined if nothing changed. */
export function updateRow(call: Call, row: Row, { updater, filter }: Change): Uint8Array | undefined {
  const collection = findCollection(call)
  const { doc, changed } = updater.apply(decode(row.bytes), { inserting: false, filter })
  if (!changed || !collection) return undefined
  const { bytes } = updatedDocument(doc)
  replaceRow(call.engine, collection, { ...row, next: bytes })
  return bytes
}

/** Inserts the document that an upsert builds from its filter and update. */
export function upsertRow(call: Call, { updater, filter }: Change): NewDocument {
  const { doc } = updater.apply(upsertSeed(filter), { inserting: true, filter })
  const document = updatedDocument(doc)
  insertRow(call.engine, ensureCollection(call), document)
  return document
}
