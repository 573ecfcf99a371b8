import { setImmediate } from 'node:timers/promises'
import { newId } from '../core/ids.ts'
import type { Unit } from './book-index-store.ts'
import { addPage, newPageIndex, sealedEntries } from './page-index.ts'
import { runsOf, type WantedPage } from './plan-units.ts'
import { buildTable, type Table } from './shards.ts'
import { packIntegers } from './varint.ts'
import type { ContentStores } from '../reading/store.ts'

const atOnce = 8
const unitCharacters = 1_500_000

export interface BuiltUnit {
  unit: Unit
  table: Table
}

/** A name for a part of an index: unique within a book or a library. */
export function partId(): string {
  return newId().slice(-12)
}

/** Indexes stored pages, in units of some 1.5 million characters; gives way to other work between a few pages. */
export async function* buildUnits(
  { contents }: ContentStores,
  pages: readonly WantedPage[],
): AsyncGenerator<BuiltUnit> {
  let index = newPageIndex()
  let from = 0
  let characters = 0
  for (let at = 0; at < pages.length; at += atOnce) {
    const batch = pages.slice(at, at + atOnce)
    for (const { content } of await contents.pages(batch)) {
      addPage(index, content)
      characters += content.length
    }
    await setImmediate()
    const to = at + batch.length
    if (characters < unitCharacters && to < pages.length) continue
    yield finish(index, pages.slice(from, to))
    index = newPageIndex()
    from = to
    characters = 0
  }
}

function finish(index: ReturnType<typeof newPageIndex>, pages: readonly WantedPage[]): BuiltUnit {
  const table = buildTable(sealedEntries(index))
  const runs = runsOf(pages.map(({ key }) => key))
  const unit = { id: partId(), bits: table.bits, pages: runs, lengths: packIntegers(index.lengths) }
  return { unit, table }
}
