import type { Language } from '../text/words/languages.ts'
import type { LibraryIndex } from './library-index-store.ts'
import { languagesOf } from './library-languages.ts'
import type { SearchSource } from './list-search-sources.ts'
import type { SearchStore } from './store.ts'

/** The books of one owner that a search covers, with the list of their index parts. */
export interface OpenedSource extends SearchSource {
  library: LibraryIndex
}

export interface OpenedLibraries {
  sources: OpenedSource[]
  /** The languages of their books, that of most first. */
  languages: Language[]
}

/** Reads which index parts the libraries of a search have, and in which languages their books are. */
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
