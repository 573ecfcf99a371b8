import type { Book } from '../books/book.ts'
import { runSteps, type Pacer } from '../runtime/turns.ts'
import type { Manifest } from '../reading/manifest.ts'
import { loadToc } from '../reading/load-toc.ts'
import { metadataOf, metadataDigest, indexMetadata } from './metadata-index.ts'
import type { MetadataUnit, IndexedBook, IndexUnit, UnitRows } from './book-index-store.ts'
import { countFields, countPages, type TermCounts } from './term-counts.ts'
import { buildUnits } from './build-units.ts'
import { buildLayout, pageNumbers, planUnits } from './plan-units.ts'
import { buildTable, iterateEntries } from './shards.ts'
import { unpackIntegers } from './varint.ts'
import type { IndexWork } from './index-work-store.ts'
import type { Clock } from '../core/context.ts'
import type { BookStores } from '../books/store.ts'
import type { SearchStores } from './store.ts'
import type { ContentStores } from '../reading/store.ts'

export type IndexServices = Clock & BookStores & SearchStores & ContentStores

interface IndexTask {
  book: Book
  manifest: Manifest
  /** The existing index entry with reusable units; null: index everything. */
  before: IndexedBook | null
  ids: {
    /** The work row of this indexing; it already lists the first two units. */
    work: IndexWork
    aboutId: string
    unitId: string
  }
  pacer: Pacer
}

interface IndexedParts {
  parts: Pick<IndexedBook, 'words' | 'about' | 'units' | 'layout'>
  /** Rows not written yet. */
  pendingRows: UnitRows[]
  /** Term counts of the book, for the ranking of books. */
  termCounts: TermCounts
}

/** Indexes the new pages of a book and counts the terms of the whole book. */
export async function indexParts(services: IndexServices, task: IndexTask): Promise<IndexedParts> {
  const { book, manifest, before, ids, pacer } = task
  const { search } = services
  const termCounts: TermCounts = new Map()
  const { kept, missing } = planUnits(manifest, before?.units ?? [])
  const { about, pendingRows } = await buildMetadataUnit(services, task, termCounts)
  const units = [...kept]
  let unitId: string | null = ids.unitId
  for await (const { unit, table } of buildUnits(services, missing, pacer)) {
    // Only a large book needs more than one unit.
    if (unitId === null) await search.work.addUnit(book.ownerId, ids.work.id, unit.id)
    units.push({ ...unit, id: unitId ?? unit.id })
    pendingRows.push({ unitId: unitId ?? unit.id, rows: table.rows })
    unitId = null
    await countRows({ rows: table.rows.map(({ bytes }) => bytes), termCounts, pacer }, () => true)
    if (units.length > kept.length + 1) await search.books.writeUnits(book.id, pendingRows.splice(0))
  }
  const layout = buildLayout(manifest, units)
  const numbers = pageNumbers({ layout, units })
  for (const [at, unit] of kept.entries()) {
    const liveNumbers = numbers[at] as Uint32Array
    const rows = await search.books.readUnit(book.id, unit.id)
    await countRows({ rows, termCounts, pacer }, (ordinal) => liveNumbers[ordinal] !== 0)
  }
  return { parts: { about, units, layout, words: countWords(units, numbers) }, pendingRows, termCounts }
}

interface RowsToCount {
  rows: readonly Uint8Array[]
  termCounts: TermCounts
  pacer: Pacer
}

async function countRows(
  { rows, termCounts, pacer }: RowsToCount,
  isLive: (ordinal: number) => boolean,
): Promise<void> {
  for (const row of rows) {
    for (const entry of iterateEntries(row)) countPages(termCounts, entry, isLive)
    if (pacer.isDue()) await pacer.giveWay()
  }
}

function countWords(units: readonly IndexUnit[], numbers: readonly Uint32Array[]): number {
  let words = 0
  for (const [at, { lengths }] of units.entries()) {
    const liveNumbers = numbers[at] as Uint32Array
    for (const [ordinal, length] of unpackIntegers(lengths).entries()) if (liveNumbers[ordinal] !== 0) words += length
  }
  return words
}

async function buildMetadataUnit(
  services: IndexServices,
  { book, manifest, before, ids, pacer }: IndexTask,
  termCounts: TermCounts,
): Promise<{ about: MetadataUnit; pendingRows: UnitRows[] }> {
  const metadata = metadataOf(book, await loadToc(services, book, manifest))
  const digest = metadataDigest(metadata)
  if (before?.about.digest === digest) {
    for (const row of await services.search.books.readUnit(book.id, before.about.id)) {
      for (const entry of iterateEntries(row)) countFields(termCounts, entry)
    }
    return { about: before.about, pendingRows: [] }
  }
  const { entries, lengths, targets } = await runSteps(pacer, indexMetadata(metadata))
  const { bits, rows } = await runSteps(pacer, buildTable(entries))
  for (const { bytes } of rows) for (const entry of iterateEntries(bytes)) countFields(termCounts, entry)
  const id = ids.aboutId
  return { about: { id, bits, digest, lengths, targets }, pendingRows: [{ unitId: id, rows }] }
}
