import { ReaderProcess } from './reader-process.ts'

export interface PoolLimits {
  /** A process with more resident memory than this, in bytes, is not reused. */
  recycleAboveBytes: number
  /** The number of books after which a process is not reused. */
  maxBooksPerProcess: number
  /** Milliseconds that an idle process is kept. */
  idleTimeoutMs: number
}

/** Keeps idle reading processes, so that a book seldom waits for a process to start. */
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

  /** The most recently used idle process, or a new one. The caller must release it. */
  acquire(): ReaderProcess {
    const idle = this.#idle.pop()
    clearTimeout(idle?.timer)
    const reader = idle?.reader ?? this.#start()
    reader.ref()
    return reader
  }

  /** Returns a process to the pool. Kills it unless it has finished its book and is below the recycling limits. */
  release(reader: ReaderProcess): void {
    const { maxBooksPerProcess, recycleAboveBytes } = this.#limits
    const needsRecycling = reader.bookCount >= maxBooksPerProcess || reader.rss() > recycleAboveBytes
    if (this.#closed || needsRecycling || !reader.isIdle) reader.kill()
    else this.#addIdle(reader)
  }

  /** Ensures that one process is idle, with the formats loaded. */
  warmUp(): void {
    if (this.#closed || this.#idle.length > 0) return
    const spare = this.#start()
    spare.send({ type: 'preload' })
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
    const reader = new ReaderProcess()
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
    const timer = setTimeout(() => {
      this.#removeIdle(reader)
      reader.kill()
    }, this.#limits.idleTimeoutMs)
    this.#idle.push({ reader, timer: timer.unref() })
  }

  #removeIdle(reader: ReaderProcess): void {
    const at = this.#idle.findIndex((entry) => entry.reader === reader)
    for (const { timer } of at < 0 ? [] : this.#idle.splice(at, 1)) clearTimeout(timer)
  }
}
