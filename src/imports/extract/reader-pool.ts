import { ReaderProcess } from './reader-process.ts'

export interface PoolLimits {
  /** A process above this resident memory, in bytes, is not used again. */
  recycleAboveBytes: number
  /** Books after which a process is not used again. */
  maxBooksPerProcess: number
  /** Milliseconds an unused process is kept. */
  idleTimeoutMs: number
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
  acquire(): ReaderProcess {
    const idle = this.#idle.pop()
    clearTimeout(idle?.timer)
    const reader = idle?.reader ?? this.#start()
    reader.ref()
    return reader
  }

  /** Takes a process back: to be used again when it is done with its book and not worn out, else to be killed. */
  release(reader: ReaderProcess): void {
    const { maxBooksPerProcess, recycleAboveBytes } = this.#limits
    const needsRecycling = reader.bookCount >= maxBooksPerProcess || reader.rss() > recycleAboveBytes
    if (this.#closed || needsRecycling || !reader.isIdle) reader.kill()
    else this.#addIdle(reader)
  }

  /** Sees to it that one process is free, with the formats loaded. */
  warmUp(): void {
    if (this.#closed || this.#idle.length > 0) return
    const spare = this.#start()
    spare.send({ type: 'preload' })
    this.#addIdle(spare)
  }

  /** Kills every process; resolves when all are gone. */
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
