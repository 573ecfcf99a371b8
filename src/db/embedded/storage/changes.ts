/*
 * Change counters in memory that the threads of the process share. A change is counted when it is made, before its writer is answered.
 * Commands run one at a time, so a command that is sent after a counter was read sees every change in that counter; and as long as the
 * counter stays the same, its result is current.
 */

/** A power of two. Collections and documents share the slots by hash: a collision reports a change too many, never one too few. */
const slots = 1 << 16

/** Counts the changes of collections, and of documents whose `_id` is a string. */
export class Changes {
  readonly buffer = new SharedArrayBuffer(slots * Int32Array.BYTES_PER_ELEMENT)
  readonly #counts = new Int32Array(this.buffer)

  /** Counts a change of a document. */
  note({ ns }: { ns: string }, id: unknown): void {
    Atomics.add(this.#counts, slotOf(ns), 1)
    if (typeof id === 'string') Atomics.add(this.#counts, slotOf(ns, id), 1)
  }

  /** Counts a change of everything. */
  noteAll(): void {
    for (let slot = 0; slot < slots; slot++) Atomics.add(this.#counts, slot, 1)
  }
}

/** Returns the counter of a collection or of one of its documents. Equal results mean that it did not change in between. */
export function countChanges(counts: Int32Array, ns: string, id?: string): number {
  return Atomics.load(counts, slotOf(ns, id))
}

/** Hashes with FNV-1a over UTF-16 units. */
function slotOf(ns: string, id = ''): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < ns.length; at++) hash = Math.imul(hash ^ ns.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash, 0x01000193)
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193)
  return (hash ^ (hash >>> 16)) & (slots - 1)
}
