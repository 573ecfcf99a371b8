import { languageName } from '../text/language-name.ts'
import { languagesOf } from './index/library-languages.ts'
import type { OpenedSource } from './ranking/open-libraries.ts'

/**
 * A note for a search without results that names the languages of the books, because words are only found in their own language; empty if
 * there are no books.
 */
export function noteOnLanguages(sources: readonly OpenedSource[]): { note?: string } {
  // The library of another account also has books that the caller may not know of.
  const own = sources.filter(({ granted }) => granted === null).map(({ library }) => library)
  if (own.every(({ segments }) => segments.length === 0)) return {}
  const languages = new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(languagesOf(own).map(languageName))
  return { note: `No book has these words. The books are in ${languages}: use their language, or other words.` }
}
