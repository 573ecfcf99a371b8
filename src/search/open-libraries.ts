import type { Language } from '../text/words/languages.ts'
import type { LibraryIndex } from './library-index-store.ts'
import { languagesOf } from './library-languages.ts'
import type { SearchSource } from './list-search-sources.ts'
import type { SearchStore } from './store.ts'

/** The books of one owner that a search covers, with the segments of their index. */
export interface OpenedSource extends SearchSource {
  library: LibraryIndex
}

export interface OpenedLibraries {
  sources: OpenedSource[]
  /** The languages of their books, the one with the most books first. */
  languages: Language[]
}

/** Reads the segments of the searched libraries, and the languages of their books. */
export async function openLibraries(
  { libraries }: SearchStore,
  sources: readonly SearchSource[],
): Promise<OpenedLibraries> {
  const found = await libraries.findAll(sources.map(({ ownerId }) => ownerId))
  const opened = sources.flatMap((source) => {
    const library = found.get(source.ownerId)
    return library ? [{ ...source, library }] : []
  })
  return { sources: opened, languages: languagesOf(opened.map(({ library }) => library)) }
}
