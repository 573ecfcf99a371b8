import { segmentRowId, type LibraryIndexStore, type Segment } from './library-index-store.ts'
import { createPacer, runSteps, type Pacer } from '../../runtime/turns.ts'
import { cutRows, forEachRange, shardOf, tableBits, type SortedEntries } from '../words/shards.ts'
import { rangesOf, shardsIn, type Range } from './hash-ranges.ts'
import { mergeWords } from './merge-words.ts'
import { readVarint, writeVarint, type ByteCursor } from '../words/varint.ts'

interface MergePlan {
  ownerId: string
  id: string
  inputs: readonly Segment[]
  /** For each input, the positions of its books in the merged segment; undefined for removed books. */
  positions: ReadonlyMap<string, readonly (number | undefined)[]>
}

/** Merges the rows and the word lists of several segments into one, one range of hashes at a time. */
export async function mergeRows(
  store: LibraryIndexStore,
  merge: MergePlan,
): Promise<Required<Pick<Segment, 'bits' | 'bytes' | 'wordBits' | 'wordBytes'>>> {
  const { ownerId, id, inputs } = merge
  const bits = tableBits(inputs.reduce((sum, { bytes }) => sum + bytes, 0))
  const pacer = createPacer()
  const removesBooks = inputs.some(({ dead }) => dead.length > 0)
  const terms = new Set<number>()
  let bytes = 0
  for (const range of rangesOf(bits)) {
    const entries = await mergedEntries(store, merge, { ...range, pacer })
    if (removesBooks) for (const hash of entries.hashes) terms.add(hash)
    const rows = await runSteps(pacer, cutRows(entries, bits))
    await store.writeRows(ownerId, id, { rows })
    bytes += rows.reduce((sum, row) => sum + row.bytes.length, 0)
  }
  const words = await mergeWords(store, { ownerId, id, inputs, terms: removesBooks ? terms : null, pacer })
  return { bits, bytes, ...words }
}

interface PacedRange extends Range {
  pacer: Pacer
}

/** An entry in a row. */
export interface EntryRange {
  bytes: Uint8Array
  start: number
  end: number
}

/** An entry that is merged. */
interface Input extends EntryRange {
  /** The positions of the books of its segment in the merged segment. */
  positions: readonly (number | undefined)[]
}

/** The maximum number of entries that are sorted together: a 32-bit hash and a number below 2^21 fit into a double as one integer. */
const entryNumbers = 2 ** 21
/** The bytes per book of an entry: at least 2 when it is read, at most 6 when it is written. */
const [minBookBytes, maxBookBytes] = [2, 6]
/** The number of terms between two checks of the time. */
const termsPerCheck = 4096

/** Returns the entries of a range. Joins entries of the same term in the order of the segments. */
async function mergedEntries(store: LibraryIndexStore, merge: MergePlan, paced: PacedRange): Promise<SortedEntries> {
  const { inputs, order } = await inputsOf(store, merge, paced)
  const merged = { hashes: new Uint32Array(order.length), ends: new Uint32Array(order.length) }
  let out = new Uint8Array(1 << 16)
  let [terms, length] = [0, 0]
  for (let at = 0; at < order.length;) {
    if (terms % termsPerCheck === 0 && paced.pacer.isDue()) await paced.pacer.yieldTurn()
    const hash = hashAt(order, at)
    const start = length
    let last = 0
    for (; at < order.length && hashAt(order, at) === hash; at++) {
      const input = inputs[(order[at] as number) % entryNumbers] as Input
      const { positions, start: first, end } = input
      out = withCapacity(out, length + ((end - first) / minBookBytes) * maxBookBytes)
      forEachBook(input, (position, code) => {
        const next = positions[position]
        if (next === undefined) return
        length = writeVarint(out, length, next - last)
        out[length++] = code
        last = next
      })
    }
    if (length === start) continue
    merged.hashes[terms] = hash
    merged.ends[terms++] = length
  }
  return {
    hashes: merged.hashes.subarray(0, terms),
    ends: merged.ends.subarray(0, terms),
    bytes: out.subarray(0, length),
  }
}

function hashAt(order: Float64Array, at: number): number {
  return Math.floor((order[at] as number) / entryNumbers)
}

/** Returns the entries of all rows of a range, and the sorted values hash × 2^21 + index of the entry. */
async function inputsOf(
  store: LibraryIndexStore,
  { ownerId, inputs: segments, positions: allPositions }: MergePlan,
  { range, prefixBits, pacer }: PacedRange,
): Promise<{ inputs: Input[]; order: Float64Array }> {
  const inputs: Input[] = []
  const order: number[] = []
  const keys = segments.flatMap(({ id: segmentId, bits }) =>
    shardsIn(bits, { range, prefixBits }).map((shard) => ({ segmentId, shard })),
  )
  const rows = await store.passRows(ownerId, keys)
  for (const key of keys) {
    const bytes = rows.get(segmentRowId(key))
    const positions = allPositions.get(key.segmentId)
    if (bytes === undefined || positions === undefined) continue
    if (pacer.isDue()) await pacer.yieldTurn()
    forEachRange(bytes, (hash, start, end) => {
      if (shardOf(hash, prefixBits) === range)
        order.push(hash * entryNumbers + inputs.push({ bytes, start, end, positions }) - 1)
    })
  }
  if (inputs.length > entryNumbers) throw new Error(`A range of ${inputs.length} entries is too large to be merged`)
  return { inputs, order: Float64Array.from(order).sort() }
}

function withCapacity(bytes: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  if (length <= bytes.length) return bytes as Uint8Array<ArrayBuffer>
  const larger = new Uint8Array(Math.max(bytes.length * 2, length))
  larger.set(bytes)
  return larger
}

/** Calls `visit` with the position and the code of each book of an entry, in ascending order of position. */
export function forEachBook({ bytes, start, end }: EntryRange, visit: (position: number, code: number) => void): void {
  const cursor: ByteCursor = { bytes, at: start }
  let position = 0
  while (cursor.at < end) {
    position += readVarint(cursor)
    visit(position, bytes[cursor.at++] as number)
  }
}
