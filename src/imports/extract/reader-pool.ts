import type { CodeCache } from './code-cache.ts'
import type { SourceType } from './messages.ts'
import { ReaderProcess } from './reader-process.ts'

export interface PoolLimits {
  /** A process with more resident memory than this, in bytes, is not reused. */
  recycleAboveBytes: number
  /** Number of books after which a process is not reused. */
  maxBooksPerProcess: number
  /** How long an idle process is kept, ms. */
  idleTimeoutMs: number
  /** Maximum number of idle processes that are kept for the account that they have served. */
  maxServedIdle: number
  /** The URL of a module that processes may load in addition to their own code, for tests. */
  formatModule: string | null
  /** Lends compiled code to new processes. */
  codeCache: CodeCache | null
}

/**
 * Keeps idle reading processes, so that books rarely wait for a process to start. A process serves one account only: a
 * file that takes over its process cannot see the books of other accounts.
 */
export class ReaderPool {
  readonly #limits: PoolLimits
  readonly #alive = new Set<ReaderProcess>()
  readonly #idle: { reader: ReaderProcess; timer: NodeJS.Timeout }[] = []
  #closed = false

  constructor(limits: PoolLimits) {
    this.#limits = limits
  }

  /** The ids of all running processes, idle or not. */
  pids(): number[] {
    return [...this.#alive].map(({ pid }) => pid).filter((pid) => pid !== undefined)
  }

  /**
   * Returns an idle process that has served the account (preferably one with `file` open) or nobody, or starts a new
   * one. The caller must release it.
   */
  acquire(accountId: string, file: string | null = null): ReaderProcess {
    const idle = this.#idleWith(accountId, file) ?? this.#idleOf(accountId) ?? this.#idleOf(null)
    if (idle) this.#removeIdle(idle)
    const reader = idle ?? this.#start()
    reader.accountId = accountId
    reader.ref()
    return reader
  }

  /** Returns a process to the pool. Kills it unless it has finished its book and is below the recycling limits. */
  release(reader: ReaderProcess): void {
    const { maxBooksPerProcess, recycleAboveBytes, maxServedIdle } = this.#limits
    const needsRecycling = reader.bookCount >= maxBooksPerProcess || reader.rss() > recycleAboveBytes
    if (this.#closed || needsRecycling || !reader.isIdle) return reader.kill()
    this.#addIdle(reader)
    const served = this.#idle.filter((entry) => entry.reader.accountId !== null)
    if (served.length > maxServedIdle && served[0]) this.#end(served[0].reader)
  }

  /** Ensures an idle process with the format loaded that has served nobody or the account. */
  warmUp(format: SourceType, accountId: string | null = null): void {
    if (this.#closed) return
    const idle = this.#idleOf(accountId) ?? this.#idleOf(null)
    if (idle) this.#removeIdle(idle)
    const spare = idle ?? this.#start()
    spare.preload(format)
    this.#addIdle(spare)
  }

  /** Kills every process; resolves when all have exited. */
  async close(): Promise<void> {
    this.#closed = true
    const alive = [...this.#alive]
    for (const reader of alive) reader.kill()
    await Promise.all(alive.map(({ exited }) => exited))
  }

  #start(): ReaderProcess {
    const reader = new ReaderProcess(this.#limits.formatModule, this.#limits.codeCache)
    this.#alive.add(reader)
    void this.#removeWhenExited(reader)
    return reader
  }

  async #removeWhenExited(reader: ReaderProcess): Promise<void> {
    await reader.exited
    this.#alive.delete(reader)
    this.#removeIdle(reader)
  }

  #addIdle(reader: ReaderProcess): void {
    reader.unref()
    const timer = setTimeout(() => this.#end(reader), this.#limits.idleTimeoutMs)
    this.#idle.push({ reader, timer: timer.unref() })
  }

  #idleOf(accountId: string | null): ReaderProcess | undefined {
    return this.#idle.findLast(({ reader }) => reader.accountId === accountId)?.reader
  }

  #idleWith(accountId: string, file: string | null): ReaderProcess | undefined {
    if (file === null) return undefined
    return this.#idle.find(({ reader }) => reader.accountId === accountId && reader.openFile === file)?.reader
  }

  /** Ends an idle process. */
  #end(reader: ReaderProcess): void {
    this.#removeIdle(reader)
    reader.kill()
  }

  #removeIdle(reader: ReaderProcess): void {
    const at = this.#idle.findIndex((entry) => entry.reader === reader)
    for (const { timer } of at < 0 ? [] : this.#idle.splice(at, 1)) clearTimeout(timer)
  }
}
