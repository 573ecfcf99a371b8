import { defaultLanguage, type Language } from '../text/words/languages.ts'
import type { LibraryIndex } from './library-index-store.ts'

/** A query is searched in the languages of most books; a library in more is rare. */
const maxLanguages = 24

/** The number of books in each language. */
export function countBooks(books: readonly (readonly Language[])[]): Record<Language, number> {
  const counts: Record<Language, number> = {}
  for (const languages of books) for (const language of languages) counts[language] = (counts[language] ?? 0) + 1
  return counts
}

/** The languages of some libraries, that of most books first; English when they have no books. */
export function languagesOf(libraries: readonly LibraryIndex[]): Language[] {
  const counts = new Map<Language, number>()
  for (const { segments } of libraries) {
    for (const { languages, count } of segments) {
      for (const [language, books] of Object.entries(languages ?? { [defaultLanguage]: count })) {
        counts.set(language, (counts.get(language) ?? 0) + books)
      }
    }
  }
  const inOrder = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([language]) => language)
  return inOrder.length > 0 ? inOrder.slice(0, maxLanguages) : [defaultLanguage]
}
