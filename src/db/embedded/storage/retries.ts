import { CommandError } from '../errors/command-error.ts'
import type { Connection } from './sqlite.ts'

const maxAgeMs = 30 * 60_000

/**
 * The reply to the last numbered write of each session that changed something. It is stored in the transaction of the write itself. So a
 * client that repeats the write, even after a crash, gets the same reply, and the write is applied once.
 */
export class Retries {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /**
   * The reply of an earlier attempt; undefined if the write is new. Throws TransactionTooOld for a number below the
   * session's last.
   */
  find(session: string, number: number): Uint8Array | undefined {
    const sql = 'SELECT number, reply FROM retries WHERE session = ?'
    const row = this.#connection.get<[number, Uint8Array]>(sql, Buffer.from(session, 'hex'))
    if (!row || row[0] < number) return undefined
    if (row[0] === number) return row[1]
    const message = `Retryable write with txnNumber ${number} is prohibited on session ${session} because a newer retryable write with txnNumber ${row[0]} has already started on this session.`
    throw new CommandError('TransactionTooOld', message)
  }

  /** Stores the reply, in the SQLite transaction of the write. */
  save(session: string, number: number, reply: Uint8Array): void {
    const sql = 'INSERT OR REPLACE INTO retries (session, number, reply, at) VALUES (?, ?, ?, ?)'
    this.#connection.run(sql, Buffer.from(session, 'hex'), number, reply, Date.now())
  }

  /** Deletes records older than half an hour, the lifetime of MongoDB's sessions. */
  expire(now: number): void {
    this.#connection.run('DELETE FROM retries WHERE at < ?', now - maxAgeMs)
  }
}
