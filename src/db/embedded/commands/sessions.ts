import { Double } from 'bson'
import { optionalArray } from './arguments.ts'
import type { Command } from './command.ts'

/** Checks its argument and does nothing: the record of a session's last write expires half an hour after that write. */
export const endSessions: Command = {
  kind: 'none',
  fields: [],
  run(call) {
    optionalArray({ name: call.name, doc: call.body }, 'endSessions')
    return { ok: new Double(1) }
  },
}
