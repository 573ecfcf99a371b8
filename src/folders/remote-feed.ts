import type { DescribedFields } from './describe-catalogue-book.ts'

/** A link of a feed or an entry. */
export interface FeedLink {
  rels: readonly string[]
  /** http or https. */
  url: URL
  /** A media type without parameters, in lower case; empty if absent. */
  type: string
  /** The original media type with its parameters. */
  typeGiven: string
  title: string
  /** Size in bytes; null if absent. */
  bytes: number | null
}

/** A book of a feed. */
export interface FeedBook extends DescribedFields {
  /** Id in the catalogue; empty if absent. */
  id: string
  links: readonly FeedLink[]
}

/** A link from a feed to another one. */
export interface FeedSection {
  title: string
  url: URL
  rels: readonly string[]
}

/** A page of another server's catalogue, in either version of OPDS. */
export interface RemoteFeed {
  /** Empty if absent. */
  id: string
  title: string
  next: URL | null
  sections: readonly FeedSection[]
  books: readonly FeedBook[]
}

/** Maximum length of a text from a feed, in characters. */
export const maxFeedText = 20_000

/** A link with a URL that can be fetched; null for others, such as `data:` and `opds:`. */
export function toFeedLink(
  given: { rels: readonly string[]; href: string; type: string; title: string; length: number | null },
  base: URL,
): FeedLink | null {
  const url = URL.parse(given.href, base.href)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null
  // URLs from a feed are fetched without credentials that the feed contains.
  url.username = ''
  url.password = ''
  url.hash = ''
  const { rels, type, title, length } = given
  const bytes = length !== null && Number.isSafeInteger(length) && length >= 0 ? length : null
  return { rels, url, type: (type.split(';', 1)[0] ?? '').trim().toLowerCase(), typeGiven: type, title, bytes }
}

/**
 * Parses a series in the form `SERIES: Foundation [2]`, and tags in the form `TAGS: a, b`, which Calibre writes in
 * lines before the comments of a book.
 */
export function readCalibreLines(text: string): Partial<Pick<FeedBook, 'series' | 'seriesIndex' | 'tags' | 'summary'>> {
  const lines = text.split('\n')
  const found: ReturnType<typeof readCalibreLines> = {}
  let at = 0
  for (; at < lines.length; at++) {
    const [, name, value = ''] = /^(RATING|TAGS|SERIES): (.+)$/.exec(lines[at] ?? '') ?? []
    if (name === undefined) break
    if (name === 'TAGS') found.tags = value.split(', ')
    const [, series, index] = name === 'SERIES' ? (/^(.+) \[([\d.]+)\]$/.exec(value) ?? []) : []
    if (series !== undefined) [found.series, found.seriesIndex] = [series, Number(index)]
  }
  return { ...found, summary: lines.slice(at).join('\n') }
}
