import { defaultLanguage, type Language } from '../../text/words/languages.ts'

/**
 * True if a term with these languages (null: all) may be in a text whose words were stemmed in some languages. The languages of a text are
 * absent in rows of earlier versions: English. They are empty if it has no pages.
 */
export function mayContain(term: ReadonlySet<Language> | null, text: readonly Language[] | undefined): boolean {
  if (term === null) return true
  if (text === undefined) return term.has(defaultLanguage)
  return text.length === 0 || text.some((language) => language === '' || term.has(language))
}
