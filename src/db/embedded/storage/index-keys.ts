import { asDoc, fieldOf } from '../bson/values.ts'
import type { Doc, Value } from '../bson/values.ts'
import { CommandError } from '../errors/command-error.ts'
import { invert, keyWriter, written } from './key-writer.ts'
import { writeKey } from './keys.ts'

/** One field of an index: its dotted path and direction. */
export type KeyField = { path: string; parts: readonly string[]; descending: boolean }

/** The keys that one document has in an index. */
export type IndexKeys = {
  /** Joined keys without duplicates, in byte order, without the row id. */
  keys: Buffer[]
  /** Bit i is set if field i went through an array. */
  multikey: number
  /** False if the document has none of the indexed fields (a sparse index omits it). */
  present: boolean
}

/** The fields of a `{path: direction}` pattern. */
export function keyFields(pattern: readonly (readonly [path: string, direction: number])[]): KeyField[] {
  return pattern.map(([path, direction]) => ({ path, parts: path.split('.'), descending: direction < 0 }))
}

type Collected = { fields: readonly KeyField[]; keys: Map<string, Buffer>; multikey: number; present: boolean }
/** The state of one field: its value, or the container that its path has reached and the next part. */
type Slot = { value: Value } | { container: Value; at: number }

/** The keys of a document; throws CannotIndexParallelArrays if an index covers two different arrays. */
export function indexKeys(doc: Doc, fields: readonly KeyField[]): IndexKeys {
  const collected: Collected = { fields, keys: new Map(), multikey: 0, present: false }
  collect(
    collected,
    fields.map(() => ({ container: doc, at: 0 })),
  )
  const keys = [...collected.keys.values()].sort(Buffer.compare)
  return { keys, multikey: collected.multikey, present: collected.present }
}

function collect(collected: Collected, slots: readonly Slot[]): void {
  let array: { elements: readonly Value[]; path: string } | undefined
  const arrived = slots.map((slot, i) => {
    const next = descend(slot, collected.fields[i]?.parts ?? [])
    if ('value' in next) return next
    const path = collected.fields[i]?.parts.slice(0, next.at).join('.') ?? ''
    const elements = next.container as Value[]
    if (array && array.elements !== elements) throw parallelArrays(array.path, path)
    array = { elements, path }
    collected.multikey |= 1 << i
    return next
  })
  if (array) expand(collected, arrived, array.elements)
  else emit(collected, arrived as { value: Value }[])
}

/** Follows the path to its value or an array; an array container is expanded later. */
function descend(slot: Slot, parts: readonly string[]): Slot {
  if ('value' in slot) return slot
  let { container, at } = slot
  for (; ; at += 1) {
    if (Array.isArray(container)) return { container, at }
    if (at === parts.length) return { value: container }
    const doc = asDoc(container)
    if (!doc) return { value: undefined }
    container = fieldOf(doc, parts[at] ?? '')
  }
}

function expand(collected: Collected, slots: readonly Slot[], elements: readonly Value[]): void {
  if (elements.length === 0) {
    // Like in MongoDB, an empty array has the key `undefined` at the end of the path and null before it.
    emit(
      collected,
      slots.map((slot, i) => {
        if ('value' in slot) return slot
        if (slot.at === collected.fields[i]?.parts.length) return { value: undefined, empty: true }
        return { value: undefined }
      }),
    )
    return
  }
  for (const element of elements) {
    collect(
      collected,
      slots.map((slot, i) => {
        if ('value' in slot) return slot
        if (slot.at === collected.fields[i]?.parts.length) return { value: element }
        // Field names are not looked up in an array directly inside an array.
        return asDoc(element) ? { container: element, at: slot.at } : { value: undefined }
      }),
    )
  }
}

function emit(collected: Collected, slots: readonly { value?: Value; empty?: boolean }[]): void {
  const writer = keyWriter()
  slots.forEach((slot, i) => {
    const from = writer.length
    if (slot.value !== undefined || slot.empty) collected.present = true
    // A missing field is indexed as null.
    writeKey(writer, slot.value === undefined && !slot.empty ? null : slot.value)
    if (collected.fields[i]?.descending) invert(writer, from)
  })
  const key = written(writer)
  collected.keys.set(key.toString('latin1'), key)
}

function parallelArrays(a: string, b: string): CommandError {
  return new CommandError('CannotIndexParallelArrays', `cannot index parallel arrays [${b}] [${a}]`)
}

/** Number of bytes of the row id at the end of each stored key. */
const rowidSize = 6

/** The stored form: the joined key, then the row id, so that equal keys of several documents stay distinct. */
export function storedKey(key: Uint8Array, rowid: number): Buffer {
  const stored = Buffer.allocUnsafe(key.length + rowidSize)
  stored.set(key)
  stored.writeUIntBE(rowid, key.length, rowidSize)
  return stored
}

/** The row id at the end of a stored key. */
export function rowidOf(stored: Buffer): number {
  return stored.readUIntBE(stored.length - rowidSize, rowidSize)
}
