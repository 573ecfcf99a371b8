import { Double, Int32 } from 'bson'
import type { Arguments } from './arguments.ts'
import { flag, optionalDoc, optionalDocs, refuseUnknown, requiredDoc } from './arguments.ts'
import { decode } from '../bson/bytes.ts'
import type { Call, Command } from './command.ts'
import { ensureCollection, findCollection, storeOf } from './command.ts'
import { withVariables } from './scope.ts'
import { updatedDocument } from './documents.ts'
import { CommandError } from '../errors/command-error.ts'
import { insertRow, replaceRow } from '../storage/records.ts'
import type { Row } from '../storage/records.ts'
import { rowsToChange, statementsOf } from './statements.ts'
import { compileUpdate, upsertSeed } from '../update/compile.ts'
import type { Updater } from '../update/compile.ts'
import { asDoc } from '../bson/compare.ts'
import type { Doc, Scope, Value } from '../bson/compare.ts'
import { runStatements } from './write-results.ts'
import { hintOf } from './find.ts'

export const update: Command = {
  kind: 'write',
  fields: ['updates', 'ordered', 'bypassDocumentValidation', 'let'],
  transactional: true,
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

const known = new Set(['q', 'u', 'multi', 'upsert', 'arrayFilters', 'hint', 'c'])

/** Runs one statement; gives the `_id` of a document it had to insert. */
function runUpdate(call: Call, from: Arguments, counts: { n: number; nModified: number }): Value {
  refuseUnknown(from, known)
  const filter = requiredDoc(from, 'q')
  const multi = flag(from, 'multi')
  const scope = withVariables(call.scope, optionalDoc(from, 'c'))
  const updater = updaterOf(from, 'u', scope)
  if (multi && updater.isReplacement) {
    throw new CommandError('FailedToParse', 'multi update is not supported for replacement-style update')
  }
  const query = { filter, scope, hint: hintOf({ body: from.doc }), limit: multi ? 0 : 1, deadline: call.deadline }
  let found = 0
  for (const row of rowsToChange(call, query)) {
    found += 1
    if (updateRow(call, row, { updater, filter })) counts.nModified += 1
    counts.n += 1
  }
  if (found > 0 || !flag(from, 'upsert')) return undefined
  counts.n += 1
  return upsertRow(call, { updater, filter }).id
}

/** Compiles the update in `field` with the statement's `arrayFilters`. */
export function updaterOf(from: Arguments, field: string, scope: Scope): Updater {
  const value = from.doc[field]
  const arrayFilters = optionalDocs(from, 'arrayFilters')
  const change = Array.isArray(value) ? optionalDocs(from, field) : asDoc(value)
  if (!change) throw new CommandError('FailedToParse', 'Update argument must be either an object or an array')
  return compileUpdate(change, arrayFilters ? { arrayFilters, scope } : { scope })
}

type Change = { updater: Updater; filter: Doc }

/** Updates one document; the new bytes, or undefined when nothing changed. */
export function updateRow(call: Call, row: Row, { updater, filter }: Change): Uint8Array | undefined {
  const collection = findCollection(call)
  const { doc, changed } = updater.apply(decode(row.bytes), { inserting: false, filter })
  if (!changed || !collection) return undefined
  const { bytes } = updatedDocument(doc)
  replaceRow(storeOf(call), collection, { ...row, next: bytes })
  return bytes
}

/** Inserts what an upsert makes of its filter and update. */
export function upsertRow(call: Call, { updater, filter }: Change) {
  const { doc } = updater.apply(upsertSeed(filter), { inserting: true, filter })
  const document = updatedDocument(doc)
  insertRow(storeOf(call), ensureCollection(call), document)
  return document
}
