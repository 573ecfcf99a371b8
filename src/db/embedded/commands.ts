import type { Command } from './command.ts'
import { aggregate } from './commands/aggregate.ts'
import { create, dbStats, drop, dropDatabase, listCollections, listDatabases } from './commands/collections.ts'
import { count, distinct } from './commands/count.ts'
import { getMore, killCursors } from './commands/cursors.ts'
import { deleteCommand } from './commands/delete.ts'
import { explain } from './commands/explain.ts'
import { findAndModify } from './commands/find-and-modify.ts'
import { find } from './commands/find.ts'
import { buildInfo, hello, isMaster, ping } from './commands/handshake.ts'
import { createIndexes, dropIndexes, listIndexes } from './commands/indexes.ts'
import { insert } from './commands/insert.ts'
import { abortTransaction, commitTransaction, endSessions } from './commands/sessions.ts'
import { update } from './commands/update.ts'

/** Every command there is, by the names that clients may call it. */
export const commands: ReadonlyMap<string, Command> = new Map(
  Object.entries({
    hello,
    isMaster,
    ismaster: isMaster,
    ping,
    buildInfo,
    buildinfo: buildInfo,
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
    findandmodify: findAndModify,
    create,
    drop,
    dropDatabase,
    createIndexes,
    listIndexes,
    dropIndexes,
    listCollections,
    listDatabases,
    dbStats,
    commitTransaction,
    abortTransaction,
  }),
)
