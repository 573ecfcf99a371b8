import type { GivenMetadata } from '../imports/add-local-file.ts'
import { writeFacts } from '../books/facts.ts'
import { cleanLine, cleanText } from '../imports/extract/clean-text.ts'
import { htmlToText } from '../imports/formats/html-to-text.ts'
import { usableName } from './shelf-name.ts'
import type { CatalogueBook } from './catalogue-rows.ts'

const maxTitle = 200
const maxAuthor = 200
const maxDescription = 4000
const maxComments = 100_000

/** The catalogue metadata of a book. */
export type DescribedFields = Pick<
  CatalogueBook,
  'title' | 'authors' | 'series' | 'tags' | 'languages' | 'publisher' | 'comments' | 'identifiers' | 'pubdate'
> & {
  /** Number in the series; null if unknown. */
  seriesIndex: number | null
  /** A description in plain text; it takes precedence over `comments`. */
  summary?: string | null
}

interface DescribedBook {
  metadata: GivenMetadata
  /** True if the description was truncated. */
  isCut: boolean
}

/**
 * Converts catalogue metadata to the fields of a book. Data without a field of its own (series and number, tags, date,
 * identifiers) become lines at the end of the description.
 */
export function describeCatalogueBook(book: DescribedFields): DescribedBook {
  const author = cleanLine(book.authors.filter((name) => name !== 'Unknown').join(', '), maxAuthor)
  const publisher = cleanLine(book.publisher, 500)
  const isbn = cleanLine(book.identifiers.find(({ type }) => type.toLowerCase() === 'isbn')?.val ?? null, 32)
  const language = languageTag(book.languages[0])
  const { text: description, isCut } = descriptionOf(book)
  const metadata = {
    title: cleanLine(book.title, maxTitle) ?? 'Untitled',
    ...(author === null ? {} : { author }),
    ...(publisher === null ? {} : { publisher }),
    ...(isbn === null ? {} : { isbn }),
    ...(language === null ? {} : { language }),
    ...(description === '' ? {} : { description }),
  }
  return { metadata, isCut }
}

/** The series and tags of a book as shelf names; omits those that are not valid names. */
export function shelvesOfCatalogueBook({ series, tags }: Pick<DescribedFields, 'series' | 'tags'>): string[] {
  const names = [...(series === null ? [] : [series]), ...tags].map(usableName)
  return [...new Set(names.filter((name) => name !== null))]
}

function descriptionOf(book: DescribedFields): { text: string; isCut: boolean } {
  const plain = book.summary ?? htmlToText(book.comments ?? '', maxComments) ?? ''
  const comments = cleanText(plain).trim()
  const facts = factsOf(book).join('\n')
  const keptFacts = cut(facts, maxDescription / 2)
  const keptComments = cut(comments, maxDescription - keptFacts.length - 2)
  const text = [keptComments, keptFacts].filter((part) => part !== '').join('\n\n')
  return { text, isCut: keptFacts !== facts || keptComments !== comments }
}

function cut(text: string, maxLength: number): string {
  return text.length <= maxLength
    ? text
    : `${text
        .slice(0, maxLength - 1)
        .toWellFormed()
        .trimEnd()}…`
}

const cleanFact = (text: string) => cleanLine(text, maxComments)

function factsOf({ series, seriesIndex, tags, pubdate, identifiers, languages }: DescribedFields): string[] {
  const year = Number(/^\d{4}/.exec(pubdate ?? '')?.[0] ?? 0)
  const others = identifiers.filter(({ type }) => type.toLowerCase() !== 'isbn')
  const list = (texts: readonly string[]) => texts.map(cleanFact).filter((text) => text !== null)
  const name = cleanFact(series ?? '')
  return writeFacts({
    series: name === null ? null : { name, position: seriesIndex },
    tags: list(tags),
    languages: languages.length > 1 ? list(languages.map((code) => languageTag(code) ?? code)) : [],
    // Calibre stores an unknown date with the year 101.
    published: year >= 1000 ? cleanFact((pubdate ?? '').slice(0, 10)) : null,
    identifiers: list(others.map(({ type, val }) => `${type}:${val}`)),
  })
}

/** The BCP 47 tag for an ISO 639-2 or 639-3 code: `en` for `eng`; null if it is not a language. */
function languageTag(code: string | undefined): string | null {
  if (code === undefined || ['und', 'mul', 'zxx'].includes(code)) return null
  try {
    return Intl.getCanonicalLocales(code)[0] ?? null
  } catch {
    return null
  }
}
