import type { Catalog } from './catalog.ts'
import type { Connection } from './sqlite.ts'

/**
 * One SQLite transaction for many commands. Each is undone alone when it fails; after `commit` those that asked for it are on
 * the disk.
 */
export class GroupCommit {
  readonly #connection: Connection
  readonly #catalog: Catalog
  /** SQLite may roll back everything by itself (when the disk is full, say): then none of the commands has happened. */
  #lost: { cause: unknown } | undefined
  /** True while the open transaction has been begun by a read. */
  #readsOnly = false

  constructor(parts: { connection: Connection; catalog: Catalog }) {
    this.#connection = parts.connection
    this.#catalog = parts.catalog
  }

  /** Runs a read in the open transaction, or in one of its own that reads only: SQLite locks the file once, not for each statement. */
  read<T>(work: () => T): T {
    if (!this.#connection.inTransaction) {
      this.#connection.run('BEGIN')
      this.#readsOnly = true
    }
    return work()
  }

  /** Runs one command's work; when it throws, it is undone and the error is thrown on. `synced`: the commit has to wait for the disk. */
  savepoint<T>(work: () => T, { synced }: { synced: boolean }): T {
    if (this.#lost) throw this.#lost.cause
    try {
      this.#begin(synced)
      this.#connection.run('SAVEPOINT command')
      const result = work()
      this.#connection.run('RELEASE command')
      return result
    } catch (cause) {
      if (this.#connection.inTransaction) {
        this.#connection.run('ROLLBACK TO command')
        this.#connection.run('RELEASE command')
      } else {
        this.#lost = { cause }
      }
      this.#catalog.rolledBack()
      throw cause
    }
  }

  /** What need not be on the disk joins what has to be there; the other way round it is committed first. */
  #begin(synced: boolean): void {
    if (this.#readsOnly) this.#endReads()
    if (this.#connection.inTransaction && synced && !this.#connection.synced) this.commit()
    if (!this.#connection.inTransaction) this.#connection.begin({ synced })
  }

  #endReads(): void {
    this.#readsOnly = false
    // An error of SQLite, such as one of the disk, may have ended it.
    if (this.#connection.inTransaction) this.#connection.run('COMMIT')
  }

  /** Commits what has been written since the last time, if anything; when it throws, nothing of it stays. */
  commit(): void {
    const lost = this.#lost
    this.#lost = undefined
    if (this.#readsOnly) this.#endReads()
    if (lost) throw lost.cause
    if (!this.#connection.inTransaction) return
    try {
      this.#connection.run('COMMIT')
      this.#catalog.committed()
    } catch (error) {
      if (this.#connection.inTransaction) this.#connection.run('ROLLBACK')
      this.#catalog.rolledBack()
      throw error
    }
  }
}
