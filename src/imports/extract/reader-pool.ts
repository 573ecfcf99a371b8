import { ReaderProcess } from './reader-process.ts'

export interface PoolLimits {
  /** A process above this resident memory, in bytes, is not used again. */
  recycleBytes: number
  /** Books after which a process is not used again. */
  booksPerProcess: number
  /** Milliseconds an unused process is kept. */
  idleMs: number
}

/** Keeps reading processes that are free, so that a book seldom waits for one to start. */
export class ReaderPool {
  readonly #limits: PoolLimits
  readonly #alive = new Set<ReaderProcess>()
  readonly #idle: { reader: ReaderProcess; timer: NodeJS.Timeout }[] = []
  #closed = false

  constructor(limits: PoolLimits) {
    this.#limits = limits
  }

  /** Ids of the processes that are up, free or not. */
  pids(): number[] {
    return [...this.#alive].map(({ pid }) => pid).filter((pid) => pid !== undefined)
  }

  /** The process that was used last, or a new one; the caller gives it back. */
  take(): ReaderProcess {
    const warm = this.#idle.pop()
    clearTimeout(warm?.timer)
    const reader = warm?.reader ?? this.#start()
    reader.hold()
    return reader
  }

  /** Takes a process back: to be used again when it is done with its book and not worn out, else to be killed. */
  give(reader: ReaderProcess): void {
    const { booksPerProcess, recycleBytes } = this.#limits
    const wornOut = reader.books >= booksPerProcess || reader.rss() > recycleBytes
    if (this.#closed || wornOut || !reader.atRest) reader.kill()
    else this.#keep(reader)
  }

  /** Sees to it that one process is free, with the formats loaded. */
  warm(): void {
    if (this.#closed || this.#idle.length > 0) return
    const spare = this.#start()
    spare.send({ type: 'preload' })
    this.#keep(spare)
  }

  /** Kills every process; resolves when all are gone. */
  async close(): Promise<void> {
    this.#closed = true
    const alive = [...this.#alive]
    for (const reader of alive) reader.kill()
    await Promise.all(alive.map(({ ended }) => ended))
  }

  #start(): ReaderProcess {
    const reader = new ReaderProcess()
    this.#alive.add(reader)
    void this.#bury(reader)
    return reader
  }

  async #bury(reader: ReaderProcess): Promise<void> {
    await reader.ended
    this.#alive.delete(reader)
    this.#forget(reader)
  }

  #keep(reader: ReaderProcess): void {
    reader.release()
    const timer = setTimeout(() => {
      this.#forget(reader)
      reader.kill()
    }, this.#limits.idleMs)
    this.#idle.push({ reader, timer: timer.unref() })
  }

  #forget(reader: ReaderProcess): void {
    const at = this.#idle.findIndex((entry) => entry.reader === reader)
    for (const { timer } of at < 0 ? [] : this.#idle.splice(at, 1)) clearTimeout(timer)
  }
}
