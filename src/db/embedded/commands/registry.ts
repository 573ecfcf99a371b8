import type { Command } from './command.ts'
import { aggregate } from './aggregate.ts'
import { create, dbStats, drop, dropDatabase, listCollections, listDatabases } from './collections.ts'
import { count, distinct } from './count.ts'
import { getMore, killCursors } from './cursors.ts'
import { deleteCommand } from './delete.ts'
import { explain } from './explain.ts'
import { findAndModify } from './find-and-modify.ts'
import { find } from './find.ts'
import { buildInfo, hello, isMaster, ping } from './handshake.ts'
import { createIndexes, dropIndexes, listIndexes } from './indexes.ts'
import { insert } from './insert.ts'
import { abortTransaction, commitTransaction, endSessions } from './sessions.ts'
import { update } from './update.ts'

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
