import type { Language } from '../../text/words/languages.ts'
import type { LibraryIndex } from '../index/library-index-store.ts'
import { languagesOf } from '../index/library-languages.ts'
import type { SearchSource } from '../list-search-sources.ts'
import type { SearchStore } from '../store.ts'

/** The books of one owner that a search covers, with the segments of their index. */
export interface OpenedSource extends SearchSource {
  library: LibraryIndex
}

export interface OpenedLibraries {
  sources: OpenedSource[]
  /** The languages of their books, the one with the most books first. */
  languages: Language[]
}

/** The indexes of libraries, by owner. */
export type LibraryIndexes = ReadonlyMap<string, LibraryIndex>

/** Returns the searched libraries with their segments, and the languages of their books. */
export function openLibraries(found: LibraryIndexes, sources: readonly SearchSource[]): OpenedLibraries {
  const opened = sources.flatMap((source) => {
    const library = found.get(source.ownerId)
    return library ? [{ ...source, library }] : []
  })
  return { sources: opened, languages: languagesOf(opened.map(({ library }) => library)) }
}

/**
 * Runs a search with the indexes `early`, and again with the current ones if one of them has changed since it was read. This saves a wait,
 * because the search need not wait until the indexes are read after everything that decides what they must contain.
 */
export async function searchCurrent<Result>(
  { libraries }: SearchStore,
  early: LibraryIndexes,
  { ownerIds, run }: { ownerIds: readonly string[]; run: (found: LibraryIndexes) => Promise<Result> },
): Promise<Result> {
  const [result, current] = await Promise.all([run(early), libraries.findAll(ownerIds)])
  const isCurrent = ownerIds.every((ownerId) => early.get(ownerId)?.stamp === current.get(ownerId)?.stamp)
  return isCurrent ? result : run(current)
}
