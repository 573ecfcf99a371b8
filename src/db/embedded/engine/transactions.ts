import type { Catalog } from '../storage/catalog.ts'
import type { Cursors } from './cursors.ts'
import { CommandError } from '../errors/command-error.ts'
import type { Retries } from '../storage/retries.ts'
import type { Connection } from '../storage/sqlite.ts'

type Open = { session: string; number: number; startedAt: number; usedAt: number }

const transient = ['TransientTransactionError']
const lifetimeMs = 60_000
const idleMs = 5_000

/**
 * Multi-document transactions, one at a time: while one is open, other writes wait and other reads see what was committed
 * before it. It is aborted after a minute, as in MongoDB, and after five idle seconds when it keeps others waiting.
 */
export class Transactions {
  readonly #writer: Connection
  readonly #catalog: Catalog
  readonly #cursors: Cursors
  readonly #retries: Retries
  #open: Open | undefined
  /** The last ended transaction of each session. */
  readonly #ended = new Map<string, { number: number; state: 'committed' | 'aborted'; at: number }>()

  constructor(parts: { writer: Connection; catalog: Catalog; cursors: Cursors; retries: Retries }) {
    this.#writer = parts.writer
    this.#catalog = parts.catalog
    this.#cursors = parts.cursors
    this.#retries = parts.retries
  }

  get isOpen(): boolean {
    return this.#open !== undefined
  }

  /** Begins a transaction; the caller has made sure that none is open. */
  start(session: string, number: number): void {
    const last = this.#ended.get(session)
    if (last && last.number > number) {
      throw new CommandError(
        'TransactionTooOld',
        `Cannot start transaction ${number}: ${last.number} has already started`,
      )
    }
    if (last?.number === number || this.#retries.find(session, number)) {
      throw new CommandError(
        'ConflictingOperationInProgress',
        `Cannot start transaction ${number}: it has already ended`,
      )
    }
    this.#writer.begin({ synced: true })
    const now = Date.now()
    this.#open = { session, number, startedAt: now, usedAt: now }
  }

  /** True when this transaction is the open one. */
  isCurrent(session: string, number: number): boolean {
    return this.#open?.session === session && this.#open.number === number
  }

  /** Checks that the command's transaction is the open one. */
  continue(session: string, number: number): void {
    if (this.#open && this.isCurrent(session, number)) {
      this.#open.usedAt = Date.now()
      return
    }
    if (this.#wasCommitted(session, number)) {
      throw new CommandError('TransactionCommitted', `Transaction with { txnNumber: ${number} } has been committed.`)
    }
    throw new CommandError(
      'NoSuchTransaction',
      `Given transaction number ${number} does not match any in-progress transactions.`,
      transient,
    )
  }

  /** Commits, and remembers that on the disk: a repeated commit succeeds even after a crash. */
  commit(session: string, number: number, reply: Uint8Array): void {
    if (this.#wasCommitted(session, number)) return
    this.continue(session, number)
    try {
      this.#retries.save(session, number, reply)
      this.#writer.exec('COMMIT')
    } catch (error) {
      this.#end('aborted')
      throw error
    }
    this.#catalog.committed()
    this.#end('committed')
  }

  /** Rolls back on the client's wish. */
  abort(session: string, number: number): void {
    this.continue(session, number)
    this.#end('aborted')
  }

  /** Rolls back the open transaction, after an error in it or when it has taken too long. */
  abandon(): void {
    if (this.#open) this.#end('aborted')
  }

  /** Ends what has lived too long; true when the open transaction was one. */
  expire(now: number, othersWait: boolean): boolean {
    for (const [session, { at }] of this.#ended) if (now - at > 30 * lifetimeMs) this.#ended.delete(session)
    const open = this.#open
    if (!open) return false
    const over = now - open.startedAt > lifetimeMs || (othersWait && now - open.usedAt > idleMs)
    if (over) this.#end('aborted')
    return over
  }

  #wasCommitted(session: string, number: number): boolean {
    const last = this.#ended.get(session)
    if (last?.number === number) return last.state === 'committed'
    return !this.isCurrent(session, number) && this.#retries.has(session, number)
  }

  #end(state: 'committed' | 'aborted'): void {
    const open = this.#open
    if (!open) return
    this.#open = undefined
    if (this.#writer.inTransaction) this.#writer.exec('ROLLBACK')
    if (state === 'aborted') this.#catalog.rolledBack()
    this.#cursors.endTransaction(open.session)
    this.#ended.set(open.session, { number: open.number, state, at: Date.now() })
  }
}
