import { pageId, type PageRef } from '../../reading/store.ts'
import type { IndexedBook } from './book-index-store.ts'

/** Where the pages and the table of contents of the indexed version are stored, according to the index entry. */
export type PagePlaces = Pick<IndexedBook, 'id' | 'layout' | 'units' | 'outlineId'>

/** Returns the reference of a page, the same as from the manifest of the indexed version; null if the version does not have the page. */
export function placeOfPage({ id, layout, units }: PagePlaces, pageNum: number): PageRef | null {
  let first = 1
  for (const [unit, start, count] of layout) {
    if (pageNum < first + count) return placeInUnit(units[unit], start + pageNum - first, { id, pageNum })
    first += count
  }
  return null
}

function placeInUnit(
  unit: IndexedBook['units'][number] | undefined,
  ordinal: number,
  { id, pageNum }: PageRef,
): PageRef | null {
  let first = 0
  for (const { revision, start, count } of unit?.pages ?? []) {
    if (ordinal < first + count) return { pageNum, id: pageId(id, revision, start + ordinal - first) }
    first += count
  }
  return null
}
