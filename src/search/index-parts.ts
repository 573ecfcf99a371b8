import type { Book } from '../books/book.ts'
import type { Manifest } from '../reading/manifest.ts'
import { tocOf } from '../reading/load-toc.ts'
import { aboutOf, digestOf, indexAbout } from './metadata-index.ts'
import type { AboutUnit, IndexedBook, Unit, UnitRows } from './book-index-store.ts'
import { tallyFields, tallyPages, type Tally } from './term-counts.ts'
import { buildUnits } from './build-units.ts'
import { layOut, pageNumbers, planUnits } from './plan-units.ts'
import { buildTable, entriesOf } from './shards.ts'
import { unpackIntegers } from './varint.ts'
import type { Work } from './index-work-store.ts'
import type { Clock } from '../core/context.ts'
import type { BookStores } from '../books/store.ts'
import type { SearchStores } from './store.ts'
import type { ContentStores } from '../reading/store.ts'

export type IndexServices = Clock & BookStores & SearchStores & ContentStores

interface Task {
  book: Book
  manifest: Manifest
  /** What is indexed and can be used again. */
  before: IndexedBook | null
  names: {
    /** The note of what is about to be written; it names the first two units already. */
    work: Work
    aboutId: string
    unitId: string
  }
}

interface IndexedParts {
  parts: Pick<IndexedBook, 'words' | 'about' | 'units' | 'layout'>
  /** Rows that are still to be written. */
  rest: UnitRows[]
  /** Counts what stands in the book, for the ranking of books. */
  tally: Tally
}

/** Indexes what is new in a book and counts up the whole. */
export async function indexParts(services: IndexServices, task: Task): Promise<IndexedParts> {
  const { book, manifest, before, names } = task
  const { search } = services
  const tally: Tally = new Map()
  const { kept, missing } = planUnits(manifest, before?.units ?? [])
  const { about, rest } = await aboutUnit(services, task, tally)
  const units = [...kept]
  let unitId: string | null = names.unitId
  for await (const { unit, table } of buildUnits(services, missing)) {
    // Only a large book has more than one.
    if (unitId === null) await search.work.addUnit(book.ownerId, names.work.id, unit.id)
    units.push({ ...unit, id: unitId ?? unit.id })
    rest.push({ unitId: unitId ?? unit.id, rows: table.rows })
    unitId = null
    for (const { bytes } of table.rows) for (const entry of entriesOf(bytes)) tallyPages(tally, entry, () => true)
    if (units.length > kept.length + 1) await search.books.writeUnits(book.id, rest.splice(0))
  }
  const layout = layOut(manifest, units)
  const numbers = pageNumbers({ layout, units })
  for (const [at, unit] of kept.entries()) {
    const alive = numbers[at] as Uint32Array
    for (const row of await search.books.unit(book.id, unit.id)) {
      for (const entry of entriesOf(row)) tallyPages(tally, entry, (ordinal) => alive[ordinal] !== 0)
    }
  }
  return { parts: { about, units, layout, words: countWords(units, numbers) }, rest, tally }
}

function countWords(units: readonly Unit[], numbers: readonly Uint32Array[]): number {
  let words = 0
  for (const [at, { lengths }] of units.entries()) {
    const alive = numbers[at] as Uint32Array
    for (const [ordinal, length] of unpackIntegers(lengths).entries()) if (alive[ordinal] !== 0) words += length
  }
  return words
}

async function aboutUnit(
  services: IndexServices,
  { book, manifest, before, names }: Task,
  tally: Tally,
): Promise<{ about: AboutUnit; rest: UnitRows[] }> {
  const said = aboutOf(book, await tocOf(services, book, manifest))
  const digest = digestOf(said)
  if (before?.about.digest === digest) {
    for (const row of await services.search.books.unit(book.id, before.about.id)) {
      for (const entry of entriesOf(row)) tallyFields(tally, entry)
    }
    return { about: before.about, rest: [] }
  }
  const { entries, lengths, targets } = indexAbout(said)
  const { bits, rows } = buildTable(entries)
  for (const { bytes } of rows) for (const entry of entriesOf(bytes)) tallyFields(tally, entry)
  const id = names.aboutId
  return { about: { id, bits, digest, lengths, targets }, rest: [{ unitId: id, rows }] }
}
