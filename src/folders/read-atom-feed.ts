import { FormatError } from '../imports/formats/format.ts'
import { htmlToText } from '../imports/formats/html-to-text.ts'
import { attribute, child, children, parseXmlText, textOf, type XmlElement } from '../imports/formats/epub/xml.ts'
import {
  maxFeedText,
  readCalibreLines,
  toFeedLink,
  type FeedBook,
  type FeedLink,
  type FeedSection,
  type RemoteFeed,
} from './remote-feed.ts'

/** Parses a feed of OPDS 1.2, or a single entry, at the URL `base`. Throws `FormatError` if it is not Atom. */
export function readAtomFeed(text: string, base: URL): RemoteFeed {
  const document = parseXmlText(text, 'The feed')
  const entry = child(document, 'entry')
  if (entry) return { id: '', title: '', next: null, sections: [], books: [readBook(entry, base, false)] }
  const feed = child(document, 'feed')
  if (!feed) throw new FormatError('BROKEN', 'neither a feed nor an entry of Atom')
  const isCalibre = textOf(child(child(feed, 'author'), 'name')) === 'calibre'
  const sections: FeedSection[] = []
  const books: FeedBook[] = []
  for (const each of children(feed, 'entry')) {
    const section = readSection(each, base)
    // In Calibre's catalogue, every entry repeats its sections.
    if (section) sections.push(isCalibre ? { ...section, rels: [facetRel] } : section)
    else books.push(readBook(each, base, isCalibre))
  }
  const next = linksOf(feed, base).find(({ rels }) => rels.includes('next'))
  return { id: lineOf(feed, 'id'), title: lineOf(feed, 'title'), next: next?.url ?? null, sections, books }
}

const facetRel = 'http://opds-spec.org/facet'
const feedType = 'application/atom+xml'

/** An entry that links to another feed; null for a book, including a partial entry whose complete one is elsewhere. */
function readSection(entry: XmlElement, base: URL): FeedSection | null {
  const links = linksOf(entry, base)
  if (links.some(({ rels }) => rels.some((rel) => rel.startsWith('http://opds-spec.org/acquisition')))) return null
  const link = links.find(({ type, typeGiven }) => type === feedType && !/;\s*type="?entry/i.test(typeGiven))
  return link ? { title: lineOf(entry, 'title'), url: link.url, rels: link.rels } : null
}

function readBook(entry: XmlElement, base: URL, isCalibre: boolean): FeedBook {
  const series = child(entry, 'Series')
  const position = Number(attribute(series, 'position') ?? Number.NaN)
  const identifiers = children(entry, 'identifier').map((each) => readIdentifier(textOf(each)))
  const text = descriptionOf(entry)
  const authors = children(entry, 'author').flatMap((author) =>
    children(author, 'name').map((name) => cut(textOf(name))),
  )
  return {
    id: lineOf(entry, 'id'),
    title: lineOf(entry, 'title'),
    // Calibre writes all authors as one name, joined with a separator that no name contains.
    authors: isCalibre ? authors.flatMap((name) => name.split(' & ')) : authors,
    series: attribute(series, 'name'),
    seriesIndex: Number.isFinite(position) ? position : null,
    tags: children(entry, 'category').flatMap((each) => attribute(each, 'label') ?? attribute(each, 'term') ?? []),
    languages: children(entry, 'language').map(textOf).filter(Boolean),
    publisher: lineOf(entry, 'publisher') || null,
    pubdate: lineOf(entry, 'issued') || lineOf(entry, 'date') || null,
    identifiers: identifiers.filter((each) => each !== null),
    comments: null,
    summary: text,
    links: linksOf(entry, base),
    ...(isCalibre ? readCalibreLines(text) : {}),
  }
}

/**
 * Treats `urn:isbn:` and `isbn:` as one kind, and uses the text before the first colon as the kind of others; null for
 * a database id.
 */
export function readIdentifier(text: string): { type: string; val: string } | null {
  const [, type, val] = /^(?:urn:)?([a-z][a-z0-9.+-]{0,20}):([^/].*)$/i.exec(cut(text).trim()) ?? []
  if (type === undefined || val === undefined || /^(?:uuid|lectern|https?)$/i.test(type)) return null
  return { type: type.toLowerCase(), val }
}

function linksOf(parent: XmlElement, base: URL): FeedLink[] {
  return children(parent, 'link').flatMap((link) => {
    const length = attribute(link, 'length')
    const given = {
      rels: (attribute(link, 'rel') ?? 'alternate').split(/\s+/),
      href: attribute(link, 'href') ?? '',
      type: attribute(link, 'type') ?? '',
      title: attribute(link, 'title') ?? '',
      length: length === null ? null : Number(length),
    }
    return (given.href === '' ? null : toFeedLink(given, base)) ?? []
  })
}

/** The longer text of an entry, without markup. */
function descriptionOf(entry: XmlElement): string {
  const texts = ['content', 'summary'].map((name) => plainText(child(entry, name)))
  return texts.find((text) => text !== '') ?? ''
}

function plainText(element: XmlElement | undefined): string {
  if (!element) return ''
  const type = attribute(element, 'type')?.toLowerCase() ?? 'text'
  if (type === 'xhtml') return tidy(linesOf(element))
  const text = element.content.filter((node) => typeof node === 'string').join('')
  return type.includes('html') ? (htmlToText(text, maxFeedText) ?? '') : cut(text.trim())
}

const blocks = /^(?:p|div|br|li|h[1-6]|tr|blockquote)$/

function linesOf(node: XmlElement | string): string {
  if (typeof node === 'string') return node.replace(/\s+/g, ' ')
  return node.content.map(linesOf).join('') + (blocks.test(node.name) ? '\n' : '')
}

function tidy(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/\s+/g, ' ').trim())
  return cut(lines.filter(Boolean).join('\n'))
}

function lineOf(parent: XmlElement, name: string): string {
  return cut(textOf(child(parent, name)))
}

function cut(text: string): string {
  return text.slice(0, maxFeedText).toWellFormed()
}
