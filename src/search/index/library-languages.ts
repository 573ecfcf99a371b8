import { defaultLanguage, type Language } from '../../text/words/languages.ts'
import type { LibraryIndex } from './library-index-store.ts'

/** The maximum number of languages of a query: those with the most books. Few libraries have more. */
const maxLanguages = 24

/** Counts the books in each language. */
export function countBooks(books: readonly (readonly Language[])[]): Record<Language, number> {
  const counts: Record<Language, number> = {}
  for (const languages of books) for (const language of languages) counts[language] = (counts[language] ?? 0) + 1
  return counts
}

/** Returns the languages of some libraries, the one with the most books first; English if they have no books. */
export function languagesOf(libraries: readonly LibraryIndex[]): Language[] {
  const counts = new Map<Language, number>()
  for (const { segments } of libraries) {
    for (const { languages, count } of segments) {
      for (const [language, books] of Object.entries(languages ?? { [defaultLanguage]: count })) {
        counts.set(language, (counts.get(language) ?? 0) + books)
      }
    }
  }
  const sortedLanguages = [...counts]
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .map(([language]) => language)
  return sortedLanguages.length > 0 ? sortedLanguages.slice(0, maxLanguages) : [defaultLanguage]
}
