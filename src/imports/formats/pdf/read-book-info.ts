import type { BookInfo } from '../format.ts'
import { undoDoubleEncoding } from './characters/double-encoding.ts'
import type { PdfMetadata } from './page/pdf-file.ts'
import { cleanText } from './characters/text.ts'

/** The height of a line break in TeX, such as `\\[2pt]`. Hyperref removes only the break from titles and authors. */
const breakSpace = /\[-?[\d.]{1,8} ?(?:pt|pc|in|bp|cm|mm|dd|cc|sp|em|ex)\]/g

/** The internal name of a TeX colour before a title, such as `beamer@headercolor`, which hyperref does not remove. */
const internalName = /^[a-z]{1,40}@[a-z]{1,40}(?=[\p{Lu}\p{Lo}])/u

/**
 * The metadata of a book from the information dictionary and the XMP packet. Titles that are a file name or a default
 * are ignored.
 */
export function readBookInfo({ info, xmp }: PdfMetadata): BookInfo {
  const pick = (xmpName: string, ...names: string[]): string | null => {
    for (const name of names) {
      const text = normalizeText(info.get(name) ?? '')
      if (text !== '') return text
    }
    const value = xmp.get(xmpName)
    return normalizeText(typeof value === 'string' ? value : (value ?? []).join(', ')) || null
  }
  return {
    title: meaningfulTitle(pick('dc:title', 'Title')),
    author: pick('dc:creator', 'Author'),
    language: parseLanguageTag(pick('dc:language', 'Language')),
    publisher: pick('dc:publisher', 'Publisher'),
    isbn: findIsbn([...xmp.values()].flat().concat([...info.values()])),
    description: pick('dc:description', 'Subject'),
  }
}

function normalizeText(text: string): string {
  return cleanText(undoDoubleEncoding(text)).replace(breakSpace, ' ').replace(/\s+/g, ' ').trim().slice(0, 4_000)
}

function meaningfulTitle(title: string | null): string | null {
  if (title === null) return null
  const text = title.replace(/^Microsoft (?:Word|PowerPoint) - /, '').replace(internalName, '')
  return /^untitled(?: document)?$|^[^\s]+\.(?:dvi|docx?|eps|html?|indd|odt|p65|pdf|pptx?|ps|qxd|rtf|tex|txt)$/i.test(
    text,
  )
    ? null
    : text
}

function parseLanguageTag(text: string | null): string | null {
  const tag = text?.split(',')[0]?.trim().replaceAll('_', '-') ?? ''
  return /^[a-z]{2,3}(?:-[a-z0-9]{1,8})*$/i.test(tag) && !/^(?:und|x-)/i.test(tag) ? tag : null
}

/** The first valid ISBN in the texts, without hyphens; null if there is none. */
function findIsbn(texts: readonly string[]): string | null {
  for (const text of texts) {
    const labelled = /(?:isbn|^)(?:-1[03])?[:\s]*((?:97[89][- ]?)?(?:\d[- ]?){9}[\dX])\b/i.exec(text.trim())
    const digits = labelled?.[1]?.replace(/[- ]/g, '').toUpperCase()
    if (digits && isIsbn(digits)) return digits
  }
  return null
}

function isIsbn(digits: string): boolean {
  const values = [...digits].map((digit) => (digit === 'X' ? 10 : Number(digit)))
  const ten = digits.length === 10
  const sum = values.reduce((total, value, index) => total + value * (ten ? 10 - index : index % 2 === 0 ? 1 : 3), 0)
  return (ten || digits.length === 13) && sum % (ten ? 11 : 10) === 0
}
