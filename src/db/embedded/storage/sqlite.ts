import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { SQLInputValue, StatementSync } from 'node:sqlite'
import { CommandError } from '../errors/command-error.ts'

const busyTimeoutMs = 5000

/** An SQLite connection with its prepared statements; rows are returned as arrays. */
export class Connection {
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  #synced = true

  constructor(path: string) {
    this.#db = new DatabaseSync(path, { timeout: busyTimeoutMs })
  }

  /** Runs statements that are not worth caching; several may be separated by semicolons. */
  exec(sql: string): void {
    this.#db.exec(sql)
  }

  /** Runs a statement; returns the number of changed rows and the row id of the last insert. */
  run(sql: string, ...values: SQLInputValue[]): { changes: number; rowid: number } {
    const { changes, lastInsertRowid } = this.#statement(sql).run(...values)
    return { changes: Number(changes), rowid: Number(lastInsertRowid) }
  }

  /** The first row or undefined. `T` declares the columns, which the compiler cannot check. */
  get<T extends readonly unknown[]>(sql: string, ...values: SQLInputValue[]): T | undefined {
    return this.#statement(sql).get(...values) as unknown as T | undefined
  }

  /** All rows. `T` declares the columns, which the compiler cannot check. */
  all<T extends readonly unknown[]>(sql: string, ...values: SQLInputValue[]): T[] {
    return this.#statement(sql).all(...values) as unknown as T[]
  }

  /**
   * Begins a transaction. `synced`: its commit waits until it is on disk. Otherwise a power failure, and nothing else,
   * can undo it.
   */
  begin({ synced }: { synced: boolean }): void {
    if (synced !== this.#synced) {
      this.run(`PRAGMA synchronous = ${synced ? 'FULL' : 'NORMAL'}`)
      this.#synced = synced
    }
    this.run('BEGIN IMMEDIATE')
  }

  /** True if the open transaction, or the last one, is synced. */
  get synced(): boolean {
    return this.#synced
  }

  /** True between BEGIN and COMMIT or ROLLBACK; false if SQLite itself rolled back. */
  get inTransaction(): boolean {
    return this.#db.isTransaction
  }

  /** The number of rows that were inserted, changed or deleted since the connection was opened. */
  get totalChanges(): number {
    return this.get<[number]>('SELECT total_changes()')?.[0] ?? 0
  }

  get isOpen(): boolean {
    return this.#db.isOpen
  }

  /** Drops the cached prepared statements; required before dropping their tables. */
  forgetStatements(): void {
    this.#statements.clear()
  }

  close(): void {
    this.#statements.clear()
    this.#db.close()
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#db.prepare(sql)
    statement.setReturnArrays(true)
    this.#statements.set(sql, statement)
    return statement
  }
}

/** The version of the file format: tables and the keys in them. */
const format = 1

/**
 * Creates the file, if it is missing, with access for its owner only; SQLite gives its companion files the same mode.
 */
export function createPrivate(path: string): void {
  closeSync(openSync(path, 'a', 0o600))
}

/**
 * Opens or creates `store.db` in the directory, with a write-ahead log. A commit is on disk before it returns, unless
 * its transaction is not `synced`. Throws if a newer version of the server has written the file.
 */
export function openStorage(directory: string): Connection {
  const path = join(directory, 'store.db')
  createPrivate(path)
  const connection = new Connection(path)
  enableShrinking(connection)
  connection.exec('PRAGMA journal_mode = WAL')
  connection.exec('PRAGMA synchronous = FULL')
  connection.exec('PRAGMA cache_size = -32768')
  connection.exec('PRAGMA journal_size_limit = 67108864')
  checkFormat(connection)
  return connection
}

/** Maximum size in bytes of a file that is rewritten at startup, which takes seconds. */
const maxRewrittenBytes = 1024 * 1024 * 1024

/**
 * Enables shrinking: from the start for a new file, by rewriting it once for a file of an earlier version. A larger
 * file keeps its format and reuses its free pages.
 */
function enableShrinking(connection: Connection): void {
  const value = (name: string) => connection.get<[number]>(`PRAGMA ${name}`)?.[0] ?? 0
  const pages = value('page_count')
  if (value('auto_vacuum') !== 0 || pages * value('page_size') > maxRewrittenBytes) return
  connection.exec('PRAGMA auto_vacuum = INCREMENTAL')
  try {
    if (pages > 0) connection.exec('VACUUM')
  } catch {
    // Without space for a second copy, the file stays unchanged.
  }
  connection.forgetStatements()
}

function checkFormat(connection: Connection): void {
  const [version] = connection.get<[number]>('PRAGMA user_version') ?? [0]
  checkReadable(version)
  if (version === format) return
  connection.exec(`
    BEGIN IMMEDIATE;
    CREATE TABLE collections (id INTEGER PRIMARY KEY AUTOINCREMENT, db TEXT, name TEXT, uuid BLOB, UNIQUE (db, name));
    CREATE TABLE indexes (id INTEGER PRIMARY KEY AUTOINCREMENT, collection INTEGER, name TEXT, spec BLOB,
      multikey INTEGER, UNIQUE (collection, name));
    CREATE TABLE retries (session BLOB PRIMARY KEY, number INTEGER, reply BLOB, at INTEGER) WITHOUT ROWID;
    PRAGMA user_version = ${format};
    COMMIT`)
}

/** Throws if a newer version of the server has written a file with this `user_version`. */
export function checkReadable(version: unknown): void {
  if (Number(version) > format)
    throw new Error(`store.db has format ${String(version)}; this version of the server reads ${format}`)
}

/**
 * Checkpoints the write-ahead log into the file, except for what another process still reads, and truncates the log. On
 * a full disk the log stays as it is, with everything in it.
 */
export function truncateLog(connection: Connection): void {
  // Does not wait for a running backup, because the next call will truncate the log.
  connection.exec('PRAGMA busy_timeout = 0')
  try {
    connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch (error) {
    if (!isFull(error)) throw error
  } finally {
    connection.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
  }
}

/** Checkpoints the write-ahead log and closes the connection. */
export function closeStorage(connection: Connection): void {
  if (connection.inTransaction) connection.exec('ROLLBACK')
  truncateLog(connection)
  connection.close()
}

/** The refusal for an SQLite error: OutOfDiskSpace if the disk is full, otherwise InternalError. */
export function storageFailure(error: unknown): CommandError {
  if (error instanceof CommandError) return error
  const message = error instanceof Error ? error.message : String(error)
  return new CommandError(isFull(error) ? 'OutOfDiskSpace' : 'InternalError', message)
}

function isFull(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 13 // SQLITE_FULL
}
