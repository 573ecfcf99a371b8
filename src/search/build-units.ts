import { newId } from '../core/ids.ts'
import { runSteps, type Pacer } from '../runtime/turns.ts'
import type { IndexUnit } from './book-index-store.ts'
import { addPage, createPageIndex, finalizeEntries } from './page-index.ts'
import { toRuns, type PageToIndex } from './plan-units.ts'
import { buildTable, type ShardedTable } from './shards.ts'
import { packIntegers } from './varint.ts'
import type { ContentStores } from '../reading/store.ts'

const batchSize = 8
const targetUnitCharacters = 1_500_000

export interface BuiltUnit {
  unit: IndexUnit
  table: ShardedTable
}

/** A new id for a part of an index, unique within a book or a library: 12 characters. */
export function newPartId(): string {
  return newId().slice(-12)
}

/** Indexes stored pages, in units of about 1.5 million UTF-16 units; gives way to other work. */
export async function* buildUnits(
  { contents }: ContentStores,
  pages: readonly PageToIndex[],
  pacer: Pacer,
): AsyncGenerator<BuiltUnit> {
  let index = createPageIndex()
  let from = 0
  let characters = 0
  for (let at = 0; at < pages.length; at += batchSize) {
    const batch = pages.slice(at, at + batchSize)
    for (const { content } of await contents.passPages(batch)) {
      await runSteps(pacer, addPage(index, content))
      characters += content.length
    }
    const to = at + batch.length
    if (characters < targetUnitCharacters && to < pages.length) continue
    yield await runSteps(pacer, finishUnit(index, pages.slice(from, to)))
    index = createPageIndex()
    from = to
    characters = 0
  }
}

function* finishUnit(
  index: ReturnType<typeof createPageIndex>,
  pages: readonly PageToIndex[],
): Generator<void, BuiltUnit> {
  const table = yield* buildTable(finalizeEntries(index))
  const runs = toRuns(pages.map(({ key }) => key))
  const unit = { id: newPartId(), bits: table.bits, pages: runs, lengths: packIntegers(index.lengths) }
  return { unit, table }
}
