import { Double, Int32 } from 'bson'
import { CommandError } from '../errors/command-error.ts'
import { deleteRow } from '../storage/records.ts'
import { flag, optionalCount, refuseUnknown, requiredDoc } from './arguments.ts'
import type { Arguments } from './arguments.ts'
import { findCollection } from './command.ts'
import type { Call, Command } from './command.ts'
import { rowsToChange, statementsOf } from './statements.ts'
import { runStatements } from './write-results.ts'

export const deleteCommand: Command = {
  kind: 'write',
  fields: ['deletes', 'ordered'],
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

/** The accepted fields of a `delete` statement. */
export const deleteFields: readonly string[] = ['q', 'limit']

/** Runs one statement; returns how many documents it deleted. */
function runDelete(call: Call, from: Arguments): number {
  refuseUnknown(from, deleteFields)
  const limit = optionalCount(from, 'limit')
  if (limit !== 0 && limit !== 1) {
    throw new CommandError('FailedToParse', `The limit field in delete objects must be 0 or 1. Got ${limit}`)
  }
  const collection = findCollection(call)
  let deleted = 0
  for (const row of rowsToChange(call, { filter: requiredDoc(from, 'q'), limit, deadline: call.deadline })) {
    if (collection) deleteRow(call.engine, collection, row)
    deleted += 1
  }
  return deleted
}
