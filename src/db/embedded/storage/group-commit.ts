import type { Catalog } from './catalog.ts'
import type { Connection } from './sqlite.ts'

/**
 * One SQLite transaction for many commands. A failed command is rolled back alone. After `commit`, commands with
 * `synced` are on disk.
 */
export class GroupCommit {
  readonly #connection: Connection
  readonly #catalog: Catalog
  /**
   * Set if SQLite rolled back the whole transaction (for example because the disk is full), so that none of the
   * commands took effect.
   */
  #lost: { cause: unknown } | undefined
  /** True while the open transaction was begun by a read. */
  #readsOnly = false

  constructor(parts: { connection: Connection; catalog: Catalog }) {
    this.#connection = parts.connection
    this.#catalog = parts.catalog
  }

  /**
   * Runs a read in the open transaction, or else in a read-only transaction, so that SQLite locks the file once instead
   * of once per statement.
   */
  read<T>(work: () => T): T {
    if (!this.#connection.inTransaction) {
      this.#connection.run('BEGIN')
      this.#readsOnly = true
    }
    return work()
  }

  /**
   * Runs one command. If it throws, its changes are rolled back and the error is rethrown. `synced`: the commit waits
   * for the disk.
   */
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

  /** A command that is not `synced` joins a synced transaction; a synced command first commits an unsynced one. */
  #begin(synced: boolean): void {
    if (this.#readsOnly) this.#endReads()
    if (this.#connection.inTransaction && synced && !this.#connection.synced) this.commit()
    if (!this.#connection.inTransaction) this.#connection.begin({ synced })
  }

  #endReads(): void {
    this.#readsOnly = false
    // An SQLite error, such as a disk error, may have ended the transaction.
    if (this.#connection.inTransaction) this.#connection.run('COMMIT')
  }

  /** Commits pending writes, if any; if it throws, all of them are lost. */
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
