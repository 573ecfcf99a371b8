import type { Book } from '../../books/book.ts'
import { runSteps, type Pacer } from '../../runtime/turns.ts'
import { defaultLanguage, languageOf, type Language } from '../../text/words/languages.ts'
import type { Manifest } from '../../reading/manifest.ts'
import { loadToc } from '../../reading/load-toc.ts'
import { metadataOf, metadataDigest, indexMetadata } from './metadata-index.ts'
import type { MetadataUnit, IndexedBook, IndexUnit, UnitRows } from './book-index-store.ts'
import { countFields, countPages, countUnitTerms, createTermCounts, type TermCounts } from '../words/term-counts.ts'
import { buildUnits } from './build-units.ts'
import { buildLayout, pageNumbers, planUnits } from './plan-units.ts'
import { joinWordLists, readLiveWords } from './book-words.ts'
import { buildTable, forEachEntry } from '../words/shards.ts'
import { encodeWords, type ListedWord } from '../words/word-list.ts'
import { unpackIntegers } from '../words/varint.ts'
import type { IndexWork } from './index-work-store.ts'
import type { Clock } from '../../core/context.ts'
import type { BookStores } from '../../books/store.ts'
import type { SearchStores } from '../store.ts'
import type { ContentStores, PageRef } from '../../reading/store.ts'

export type IndexServices = Clock & BookStores & SearchStores & ContentStores

interface IndexTask {
  book: Book
  manifest: Manifest
  /** The existing index entry with reusable units; null to index everything. */
  before: IndexedBook | null
  /** The text of each page, if the caller has it. */
  pages?: readonly string[] | undefined
  ids: {
    /** The work row of this indexing. It already lists the first two units. */
    work: IndexWork
    aboutId: string
    unitId: string
  }
  pacer: Pacer
}

interface IndexedParts {
  parts: Pick<IndexedBook, 'words' | 'about' | 'units' | 'layout'>
  /** The languages used to stem its words. */
  languages: Language[]
  /** Rows that are not written yet. */
  pendingRows: UnitRows[]
  /** The term counts of the book, for ranking books. */
  termCounts: TermCounts
  /** The words of the book. */
  words: ListedWord[]
}

/** Indexes the new pages of a book and counts the terms of the whole book. */
export async function indexParts(services: IndexServices, task: IndexTask): Promise<IndexedParts> {
  const { book, manifest, before, pages, ids, pacer } = task
  const { search, contents } = services
  const readTexts = async (refs: readonly PageRef[]) =>
    pages?.length === manifest.pageCount
      ? refs.map(({ pageNum }) => pages[pageNum - 1] as string)
      : (await contents.passPages(refs)).map(({ content }) => content)
  const termCounts = createTermCounts()
  const { kept, missing } = planUnits(manifest, before?.units ?? [])
  const units = [...kept]
  const wordLists: ListedWord[][] = []
  const pendingRows: UnitRows[] = []
  let unitId: string | null = ids.unitId
  const language = languageOf(book.language) ?? kept[0]?.languages?.[0] ?? null
  for await (const { unit, table, finished, words } of buildUnits(missing, { readTexts, pacer, language })) {
    // Only a large book needs more than one unit.
    if (unitId === null) await search.work.addUnit(book.ownerId, ids.work.id, unit.id)
    units.push({ ...unit, id: unitId ?? unit.id })
    pendingRows.push({ unitId: unitId ?? unit.id, rows: table.rows, words: encodeWords(words) })
    wordLists.push(words)
    unitId = null
    countUnitTerms(termCounts, finished)
    if (pacer.isDue()) await pacer.yieldTurn()
    if (units.length > kept.length + 1) await search.books.writeUnits(book.id, pendingRows.splice(0))
  }
  const languages = [...new Set(units.flatMap((unit) => unit.languages ?? [defaultLanguage]))]
  const metadata = { termCounts, language: languages[0] ?? language ?? defaultLanguage }
  const about = await buildMetadataUnit(services, task, metadata)
  pendingRows.push(...about.pendingRows)
  const layout = buildLayout(manifest, units)
  const numbers = pageNumbers({ layout, units })
  const liveNumbers = new Map(kept.map(({ id }, at) => [id, numbers[at] as Uint32Array]))
  const known = [...(about.isKnown ? [about.unit] : []), ...kept]
  const rows = await countKept(services, task, { units: known, liveNumbers, termCounts })
  for (const row of rows) {
    wordLists.push(readLiveWords(row, termCounts))
    if (pacer.isDue()) await pacer.yieldTurn()
  }
  const words = joinWordLists([...wordLists, about.words])
  const parts = { about: about.unit, units, layout, words: countWords(units, numbers) }
  return { parts, languages, pendingRows, termCounts, words }
}

/** The maximum number of rows of kept units that are read together, about 2 MB. */
const maxRows = 256

interface KeptUnits {
  units: readonly Pick<IndexUnit, 'id' | 'bits'>[]
  /** For each unit of pages, which of them are still in the book. Absent for the metadata. */
  liveNumbers: ReadonlyMap<string, Uint32Array>
  termCounts: TermCounts
}

/** Counts the terms of units that a book keeps. Returns their encoded words. */
async function countKept(
  { search }: SearchStores,
  { book, pacer }: IndexTask,
  { units, liveNumbers, termCounts }: KeptUnits,
): Promise<Uint8Array[]> {
  const words: Uint8Array[] = []
  for (let from = 0; from < units.length;) {
    let to = from + 1
    for (let rows = rowsOf(units[from]); to < units.length && rows + rowsOf(units[to]) <= maxRows; to++)
      rows += rowsOf(units[to])
    const group = units.slice(from, to)
    for (const [at, content] of (await search.books.readUnits(book.id, group)).entries()) {
      const live = liveNumbers.get(group[at]?.id ?? '')
      for (const row of content.rows) {
        if (live) forEachEntry(row, (hash, entry) => countPages(termCounts, [hash, entry], (page) => live[page] !== 0))
        else forEachEntry(row, (hash, entry) => countFields(termCounts, [hash, entry]))
        if (pacer.isDue()) await pacer.yieldTurn()
      }
      if (content.words) words.push(content.words)
    }
    from = to
  }
  return words
}

function rowsOf(unit: Pick<IndexUnit, 'bits'> | undefined): number {
  return 2 ** (unit?.bits ?? 0)
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
  { termCounts, language }: { termCounts: TermCounts; language: Language },
): Promise<{ unit: MetadataUnit; isKnown: boolean; pendingRows: UnitRows[]; words: ListedWord[] }> {
  const metadata = metadataOf(book, await loadToc(services, book, manifest), language)
  const digest = metadataDigest(metadata)
  if (before?.about.digest === digest) return { unit: before.about, isKnown: true, pendingRows: [], words: [] }
  const { entries, words, lengths, targets } = await runSteps(pacer, indexMetadata(metadata))
  const { bits, rows } = await runSteps(pacer, buildTable(entries))
  for (const { bytes } of rows) forEachEntry(bytes, (hash, entry) => countFields(termCounts, [hash, entry]))
  const id = ids.aboutId
  return {
    unit: { id, bits, digest, lengths, targets },
    isKnown: false,
    pendingRows: [{ unitId: id, rows, words: encodeWords(words) }],
    words,
  }
}
