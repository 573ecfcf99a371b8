/*
 * How often what is stored has changed, in memory that the threads of the process share. A change is counted while it is made, before
 * its writer is answered. Commands run one at a time: what is read by a command that is sent after a count was looked at has every
 * change that the count has, and as long as the count stays the same nothing has been changed since.
 */

/** A power of two. Collections and documents share them: a change of one may look like a change of another, never the reverse. */
const slots = 1 << 16

/** Counts the changes of collections and of single documents with a string as `_id`. */
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

/** How often a collection has changed, or a document of it; equal numbers tell that it has not changed in between. */
export function countChanges(counts: Int32Array, ns: string, id?: string): number {
  return Atomics.load(counts, slotOf(ns, id))
}

/** FNV-1a over the UTF-16 units. */
function slotOf(ns: string, id = ''): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < ns.length; at++) hash = Math.imul(hash ^ ns.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash, 0x01000193)
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193)
  return (hash ^ (hash >>> 16)) & (slots - 1)
}
