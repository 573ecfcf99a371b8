import { randomBytes } from 'node:crypto'
import { CommandError } from '../errors/command-error.ts'

/** The remaining documents of a result, as bytes. */
export type Cursor = {
  id: bigint
  readonly ns: string
  readonly documents: Iterator<Uint8Array>
  /** The document that did not fit into the last batch. */
  next: IteratorResult<Uint8Array> | undefined
  /** Throws if the collection of the cursor has been dropped. */
  readonly check: () => void
  usedAt: number
}

export type CursorInput = Pick<Cursor, 'ns' | 'check'> & {
  documents: Iterable<Uint8Array>
}

export type Batch = { documents: Uint8Array[]; done: boolean }

/** An unused cursor is closed after this time. */
const maxIdleMs = 10 * 60_000
const maxBatchBytes = 16 * 1024 * 1024

/** The open cursors. A cursor is closed after ten idle minutes. */
export class Cursors {
  readonly #open = new Map<bigint, Cursor>()

  /** Returns the first batch of a result and a cursor for the rest, if any. */
  start(input: CursorInput, options: BatchOptions): { batch: Batch; cursor: Cursor | undefined } {
    const cursor = {
      ...input,
      id: 0n,
      documents: input.documents[Symbol.iterator](),
      next: undefined,
      usedAt: Date.now(),
    }
    const batch = takeBatch(cursor, options)
    if (batch.done) return { batch, cursor: undefined }
    if (options.single) {
      close(cursor)
      return { batch, cursor: undefined }
    }
    cursor.id = randomBytes(8).readBigUInt64LE() >> 1n
    this.#open.set(cursor.id, cursor)
    return { batch, cursor }
  }

  /** Returns the next batch. Closes the cursor at its last document, and if reading fails. */
  advance(id: bigint, ns: string, batchSize: number): Batch {
    const cursor = this.#open.get(id)
    if (!cursor) throw new CommandError('CursorNotFound', `cursor id ${id} not found`)
    if (cursor.ns !== ns) {
      const message = `Requested getMore on namespace '${ns}', but cursor belongs to a different namespace ${cursor.ns}`
      throw new CommandError('Unauthorized', message)
    }
    cursor.usedAt = Date.now()
    try {
      cursor.check()
      const batch = takeBatch(cursor, { batchSize, single: false })
      if (batch.done) this.#open.delete(id)
      return batch
    } catch (error) {
      this.#open.delete(id)
      throw error
    }
  }

  /** Closes a cursor; returns false if the id is unknown. */
  kill(id: bigint): boolean {
    const cursor = this.#open.get(id)
    if (cursor) close(cursor)
    return this.#open.delete(id)
  }

  /** Closes cursors that have been idle for ten minutes. */
  expire(now: number): void {
    for (const cursor of this.#open.values()) {
      if (now - cursor.usedAt > maxIdleMs) this.kill(cursor.id)
    }
  }

  get size(): number {
    return this.#open.size
  }
}

function close(cursor: Cursor): void {
  cursor.documents.return?.()
}

type BatchOptions = { batchSize: number; single: boolean }

/**
 * Takes up to `batchSize` documents and 16 MB, at least one document. Reads one document ahead, so that the client
 * never has to request an empty batch.
 */
function takeBatch(cursor: Cursor, { batchSize, single }: BatchOptions): Batch {
  const documents: Uint8Array[] = []
  let size = 0
  while (documents.length < batchSize) {
    const next = cursor.next ?? cursor.documents.next()
    cursor.next = next
    if (next.done) return { documents, done: true }
    size += next.value.length
    if (size > maxBatchBytes && documents.length > 0) return { documents, done: false }
    documents.push(next.value)
    cursor.next = undefined
  }
  if (documents.length > 0 && !single) cursor.next = cursor.documents.next()
  return { documents, done: cursor.next?.done === true }
}
