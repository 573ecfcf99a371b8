import { Double, Int32 } from 'bson'
import { flag, optionalCount, refuseUnknown, requiredDoc } from './arguments.ts'
import type { Arguments } from './arguments.ts'
import { findCollection, storeOf } from './command.ts'
import type { Call, Command } from './command.ts'
import { CommandError } from '../errors/command-error.ts'
import { deleteRow } from '../storage/records.ts'
import { rowsToChange, statementsOf } from './statements.ts'
import { runStatements } from './write-results.ts'
import { hintOf } from './find.ts'

export const deleteCommand: Command = {
  kind: 'write',
  fields: ['deletes', 'ordered', 'let'],
  transactional: true,
  retryable: true,
  run(call) {
    const ordered = flag({ name: call.name, doc: call.body }, 'ordered', true)
    let n = 0
    const writeErrors = runStatements(statementsOf(call, 'deletes'), ordered, (statement) => {
      n += runDelete(call, { name: 'delete.deletes', doc: statement })
    })
    return { n: new Int32(n), ...(writeErrors.length > 0 && { writeErrors }), ok: new Double(1) }
  },
}

const known = new Set(['q', 'limit', 'hint'])

function runDelete(call: Call, from: Arguments): number {
  refuseUnknown(from, known)
  const limit = optionalCount(from, 'limit')
  if (limit !== 0 && limit !== 1) {
    throw new CommandError('FailedToParse', `The limit field in delete objects must be 0 or 1. Got ${limit}`)
  }
  const collection = findCollection(call)
  const query = {
    filter: requiredDoc(from, 'q'),
    scope: call.scope,
    hint: hintOf({ body: from.doc }),
    limit,
    deadline: call.deadline,
  }
  let deleted = 0
  for (const row of rowsToChange(call, query)) {
    if (collection) deleteRow(storeOf(call), collection, row)
    deleted += 1
  }
  return deleted
}
