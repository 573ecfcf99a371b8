import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { SQLInputValue, StatementSync } from 'node:sqlite'
import { CommandError } from '../errors/command-error.ts'

const busyTimeoutMs = 5000

/** One SQLite connection with its prepared statements; rows come back as arrays. */
export class Connection {
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  #synced = true

  constructor(path: string) {
    this.#db = new DatabaseSync(path, { timeout: busyTimeoutMs })
  }

  /** Runs statements that are used once; several may be separated by semicolons. */
  exec(sql: string): void {
    this.#db.exec(sql)
  }

  /** Runs a statement; returns how many rows it changed and the row id of the last that it inserted. */
  run(sql: string, ...values: SQLInputValue[]): { changes: number; rowid: number } {
    const { changes, lastInsertRowid } = this.#statement(sql).run(...values)
    return { changes: Number(changes), rowid: Number(lastInsertRowid) }
  }

  /** The first row or undefined. `T` states the columns, which only the SQL can know. */
  get<T extends readonly unknown[]>(sql: string, ...values: SQLInputValue[]): T | undefined {
    return this.#statement(sql).get(...values) as unknown as T | undefined
  }

  /** All rows. `T` states the columns, which only the SQL can know. */
  all<T extends readonly unknown[]>(sql: string, ...values: SQLInputValue[]): T[] {
    return this.#statement(sql).all(...values) as unknown as T[]
  }

  /** Begins a transaction. `synced`: its commit waits until it is on the disk; else only a power failure can undo it. */
  begin({ synced }: { synced: boolean }): void {
    if (synced !== this.#synced) {
      this.run(`PRAGMA synchronous = ${synced ? 'FULL' : 'NORMAL'}`)
      this.#synced = synced
    }
    this.run('BEGIN IMMEDIATE')
  }

  /** Whether the open transaction, or the last one, is a synced one. */
  get synced(): boolean {
    return this.#synced
  }

  /** True between BEGIN and COMMIT or ROLLBACK, also when SQLite itself rolled back. */
  get inTransaction(): boolean {
    return this.#db.isTransaction
  }

  get isOpen(): boolean {
    return this.#db.isOpen
  }

  /** Drops the prepared statements, before tables that they name are dropped. */
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

/** The version of the tables and of the keys in them. */
const format = 1

/** Creates the file, if it is not there, for its owner only; SQLite gives its companions the same mode. */
export function createPrivate(path: string): void {
  closeSync(openSync(path, 'a', 0o600))
}

/**
 * Opens `store.db` in the directory, or creates it: a write-ahead log; a commit is on the disk before it returns unless it was
 * begun otherwise. Throws when a newer version of the server has written the file.
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

/** A file up to this size, in bytes, is rewritten in seconds. */
const maxRewrittenBytes = 1024 * 1024 * 1024

/**
 * Lets the file become smaller: a new one from its first page on, one of an earlier version by rewriting it once. A larger
 * one stays as it is and uses its free pages again.
 */
function enableShrinking(connection: Connection): void {
  const value = (name: string) => connection.get<[number]>(`PRAGMA ${name}`)?.[0] ?? 0
  const pages = value('page_count')
  if (value('auto_vacuum') !== 0 || pages * value('page_size') > maxRewrittenBytes) return
  connection.exec('PRAGMA auto_vacuum = INCREMENTAL')
  try {
    if (pages > 0) connection.exec('VACUUM')
  } catch {
    // Without the room for a second copy it stays as it is.
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

/** Throws when a newer version of the server has written a file with this `user_version`. */
export function checkReadable(version: unknown): void {
  if (Number(version) > format)
    throw new Error(`store.db has format ${String(version)}; this version of the server reads ${format}`)
}

/** Moves the write-ahead log into the file, as far as no other process still reads it, and empties it. */
export function truncateLog(connection: Connection): void {
  // Without waiting for a backup that reads: the next time is soon enough.
  connection.exec('PRAGMA busy_timeout = 0')
  connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  connection.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
}

/** Moves the write-ahead log into the file and closes the connection. */
export function closeStorage(connection: Connection): void {
  if (connection.inTransaction) connection.exec('ROLLBACK')
  truncateLog(connection)
  connection.close()
}

/** The refusal for an error of SQLite: OutOfDiskSpace when the disk is full, else InternalError. */
export function storageFailure(error: unknown): CommandError {
  if (error instanceof CommandError) return error
  const message = error instanceof Error ? error.message : String(error)
  const errcode = error instanceof Error && 'errcode' in error ? error.errcode : undefined
  const full = errcode === 13 // SQLITE_FULL
  return new CommandError(full ? 'OutOfDiskSpace' : 'InternalError', message)
}
