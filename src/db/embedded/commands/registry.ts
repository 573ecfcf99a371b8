import { aggregate } from './aggregate.ts'
import { dropDatabase, listCollections } from './collections.ts'
import type { Command } from './command.ts'
import { count } from './count.ts'
import { getMore, killCursors } from './cursors.ts'
import { deleteCommand } from './delete.ts'
import { distinct } from './distinct.ts'
import { explain } from './explain.ts'
import { findAndModify } from './find-and-modify.ts'
import { find } from './find.ts'
import { hello, isMaster, ping } from './handshake.ts'
import { createIndexes } from './indexes.ts'
import { insert } from './insert.ts'
import { endSessions } from './sessions.ts'
import { update } from './update.ts'

/** Every command, by name. */
export const commands: ReadonlyMap<string, Command> = new Map(
  Object.entries({
    hello,
    ismaster: isMaster,
    ping,
    endSessions,
    find,
    getMore,
    killCursors,
    count,
    distinct,
    aggregate,
    explain,
    insert,
    update,
    delete: deleteCommand,
    findAndModify,
    createIndexes,
    listCollections,
    dropDatabase,
  }),
)
