import { Double } from 'bson'
import { optionalArray } from './arguments.ts'
import type { Command } from './command.ts'
import { CommandError } from '../errors/command-error.ts'

/** Sessions are forgotten half an hour after their last write; a client's goodbye changes nothing that could be seen. */
export const endSessions: Command = {
  kind: 'none',
  fields: [],
  run(call) {
    optionalArray({ name: call.name, doc: call.body }, 'endSessions')
    return { ok: new Double(1) }
  },
}

function outside(): never {
  const message =
    'commitTransaction and abortTransaction belong to a transaction: lsid, txnNumber and autocommit: false'
  throw new CommandError('InvalidOptions', message)
}

/** Listed for its fields: the scheduler itself ends transactions. */
export const commitTransaction: Command = {
  kind: 'none',
  fields: ['recoveryToken'],
  transactional: true,
  run: outside,
}

/** Listed for its fields: the scheduler itself ends transactions. */
export const abortTransaction: Command = {
  kind: 'none',
  fields: ['recoveryToken'],
  transactional: true,
  run: outside,
}
