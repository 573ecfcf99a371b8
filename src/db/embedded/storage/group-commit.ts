import type { Catalog } from './catalog.ts'
import type { Connection } from './sqlite.ts'

/**
 * One SQLite transaction for many commands: each is undone alone when it fails, and after `commit` all are on the disk that
 * asked for it.
 */
export class GroupCommit {
  readonly #writer: Connection
  readonly #catalog: Catalog
  /** SQLite may roll back everything by itself (when the disk is full, say): then none of the commands has happened. */
  #lost: { cause: unknown } | undefined

  constructor(parts: { writer: Connection; catalog: Catalog }) {
    this.#writer = parts.writer
    this.#catalog = parts.catalog
  }

  /** Runs one command's work; when it throws, nothing of it stays and the error goes on. `synced`: it has to be on the disk. */
  savepoint(work: () => void, { synced }: { synced: boolean }): void {
    if (this.#lost) throw this.#lost.cause
    try {
      this.#begin(synced)
      this.#writer.run('SAVEPOINT command')
      work()
      this.#writer.run('RELEASE command')
    } catch (cause) {
      if (this.#writer.inTransaction) {
        this.#writer.run('ROLLBACK TO command')
        this.#writer.run('RELEASE command')
      } else {
        this.#lost = { cause }
      }
      this.#catalog.rolledBack()
      throw cause
    }
  }

  /** What need not be on the disk joins what has to be there; the other way round it is committed first. */
  #begin(synced: boolean): void {
    if (this.#writer.inTransaction && synced && !this.#writer.synced) this.commit()
    if (!this.#writer.inTransaction) this.#writer.begin({ synced })
  }

  /** Commits what has been written since the last time, if anything; when it throws, nothing of it stays. */
  commit(): void {
    const lost = this.#lost
    this.#lost = undefined
    if (lost) throw lost.cause
    if (!this.#writer.inTransaction) return
    try {
      this.#writer.run('COMMIT')
      this.#catalog.committed()
    } catch (error) {
      if (this.#writer.inTransaction) this.#writer.run('ROLLBACK')
      this.#catalog.rolledBack()
      throw error
    }
  }
}
