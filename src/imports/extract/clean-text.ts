import type { BookInfo, ExtractedPage, TocEntry } from '../formats/format.ts'
import { limitMarks } from '../../runtime/clean-name.ts'
import { maxTocEntries } from './limits.ts'

const controlCharacters = /[\p{Cc}--[\t\n\r]]/gv
// Format characters (direction marks, tags, soft hyphens) and private use; the two joiners (U+200C, U+200D) belong to
// spelling.
const invisible = /[[\p{Cf}\p{Co}]--[\u200C\u200D]]/gv
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u
const languageTag = /^[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8})*$/
const maxTocLevel = 32
const bracketedAddress = /<[^<>]*(?:@| at )[^<>]*>|\([^()\s]*@[^()\s]*\)/g
const address = /[^\s,;<>()]+@[^\s,;<>()]+/g

/**
 * Returns storable text: well-formed Unicode without control characters other than tab, newline and carriage return.
 */
export function cleanText(text: string): string {
  return text.toWellFormed().replace(controlCharacters, '')
}

/**
 * Returns one line of at most `maxLength` UTF-16 units, without invisible characters and with at most ten marks on a
 * letter; null if nothing visible remains.
 */
export function cleanLine(text: string | null, maxLength: number): string | null {
  if (text === null) return null
  const line = limitMarks(cleanText(text.replace(/\s+/g, ' ')).replace(invisible, '')).trim()
  return visible.test(line) ? truncate(line, maxLength) : null
}

/** Returns the page with cleaned text. The caller must check its length before. */
export function cleanPage(page: ExtractedPage): ExtractedPage {
  return { ...page, content: cleanText(page.content), label: cleanLine(page.label, 50) }
}

/** The metadata of the file, cleaned and truncated to the lengths that the library stores. */
export function cleanInfo(info: BookInfo): BookInfo {
  const language = cleanLine(info.language, 35)
  return {
    title: cleanLine(info.title, 500),
    author: withoutAddresses(cleanLine(info.author, 500)),
    language: language !== null && languageTag.test(language) ? language : null,
    publisher: cleanLine(info.publisher, 500),
    isbn: cleanLine(info.isbn, 32),
    description: cleanDescription(info.description),
  }
}

/**
 * The entries that point into the book, with cleaned titles, integer pages and levels of at least 1; at most
 * `maxTocEntries`.
 */
export function cleanToc(entries: readonly TocEntry[], pageCount: number): TocEntry[] {
  const kept: TocEntry[] = []
  for (const entry of entries) {
    const title = cleanLine(entry.title, 500)
    const page = Math.max(1, Math.trunc(entry.page))
    if (title === null || page > pageCount) continue
    kept.push({ title, page, level: Math.min(maxTocLevel, Math.max(1, Math.trunc(entry.level))) })
    if (kept.length === maxTocEntries) break
  }
  return kept
}

/** The names of authors without their email addresses; unchanged if nothing else remains. */
function withoutAddresses(author: string | null): string | null {
  if (author === null) return null
  const rest = author.replace(bracketedAddress, ' ').replace(address, ' ')
  if (rest === author) return author
  const names = rest.replace(/\s+(?=[\s,;])/g, '').replace(/[,;]+(?=[,;])/g, '')
  return names.replace(/^[\s,;]+|[\s,;]+$/g, '') || author
}

function cleanDescription(text: string | null): string | null {
  if (text === null) return null
  return truncate(cleanText(text).trim(), 4_000) || null
}

/** A prefix of well-formed text with at most `maxLength` UTF-16 units; never splits a surrogate pair. */
function truncate(text: string, maxLength: number): string {
  return text
    .slice(0, maxLength)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd()
}
