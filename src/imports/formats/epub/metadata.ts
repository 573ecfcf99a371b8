import { htmlToText } from '../html-to-text.ts'
import type { BookInfo } from '../format.ts'
import { attribute, children, textOf } from './xml.ts'
import type { XmlElement } from './xml.ts'

const maxFieldLength = 2_000
const maxDescriptionLength = 10_000

/** The metadata of the package document (EPUB 3.3, section 5.5, and the `opf:` attributes of EPUB 2). */
export function readInfo(metadata: XmlElement | undefined): BookInfo {
  const refinements = readRefinements(metadata)
  const first = (name: string): string | null => cleanField(textOf(children(metadata, name).find(hasText)))
  return {
    title: readTitle(metadata, refinements),
    author: readAuthors(metadata, refinements),
    language: first('language'),
    publisher: first('publisher'),
    isbn: readIsbn(metadata, refinements),
    description: htmlToText(first('description') ?? '', maxDescriptionLength),
  }
}

/** The values of `<meta refines="#id" property="p">value</meta>` by `id p`. */
type Refinements = ReadonlyMap<string, string>

function readRefinements(metadata: XmlElement | undefined): Refinements {
  const refinements = new Map<string, string>()
  for (const meta of children(metadata, 'meta')) {
    const refined = attribute(meta, 'refines')
    const property = attribute(meta, 'property')
    if (refined !== null && property !== null) refinements.set(`${refined.replace(/^#/, '')} ${property}`, textOf(meta))
  }
  return refinements
}

function refinement(element: XmlElement, property: string, refinements: Refinements): string | null {
  const id = attribute(element, 'id')
  return id === null ? null : (refinements.get(`${id} ${property}`) ?? null)
}

function readTitle(metadata: XmlElement | undefined, refinements: Refinements): string | null {
  const titles = children(metadata, 'title').filter(hasText)
  const main = titles.find((title) => refinement(title, 'title-type', refinements) === 'main')
  return cleanField(textOf(main ?? titles[0]))
}

function readAuthors(metadata: XmlElement | undefined, refinements: Refinements): string | null {
  const creators = children(metadata, 'creator').filter(hasText)
  const authors = creators.filter((creator) => {
    const role = attribute(creator, 'role') ?? refinement(creator, 'role', refinements)
    return role === null || role.toLowerCase() === 'aut'
  })
  const names = (authors.length > 0 ? authors : creators).map(textOf)
  return cleanField([...new Set(names)].join(', '))
}

function readIsbn(metadata: XmlElement | undefined, refinements: Refinements): string | null {
  for (const identifier of children(metadata, 'identifier')) {
    const text = textOf(identifier)
    const scheme = attribute(identifier, 'scheme') ?? refinement(identifier, 'identifier-type', refinements) ?? ''
    const digits = text
      .replace(/^(?:urn:)?isbn(?:-1[03])?:?/i, '')
      .replace(/[\s-]/g, '')
      .toUpperCase()
    const declared = /^(?:urn:)?isbn/i.test(text) || /isbn/i.test(scheme) || scheme === '02' || scheme === '15'
    if (declared ? /^(?:\d{9}[\dX]|\d{13})$/.test(digits) : isIsbn13(digits)) return digits
  }
  return null
}

/** True for 13 digits with the prefix 978 or 979 and a correct check digit (ISO 2108). */
function isIsbn13(digits: string): boolean {
  if (!/^97[89]\d{10}$/.test(digits)) return false
  const sum = [...digits].reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0)
  return sum % 10 === 0
}

function cleanField(text: string): string | null {
  return text === '' ? null : text.slice(0, maxFieldLength).toWellFormed()
}

function hasText(element: XmlElement): boolean {
  return textOf(element) !== ''
}
