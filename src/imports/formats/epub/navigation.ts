import { decodeMarkup } from './decode-markup.ts'
import { parseXhtml } from './parse-xhtml.ts'
import type { HrefTarget } from './resolve-path.ts'
import { resolveHref } from './resolve-path.ts'

/** The table of contents and printed page labels of a book, before they are resolved to pages. */
export interface Navigation {
  entries: NavigationEntry[]
  /** The printed page labels that the publisher marked. */
  pageLabels: { label: string; target: HrefTarget }[]
}

export interface NavigationEntry {
  title: string
  /** One-based. */
  level: number
  /** Null for a heading that only groups the entries below it. */
  target: HrefTarget | null
}

/** Maximum level of an entry. */
export const maxLevel = 100
/** Titles are cut after this length, in UTF-16 units. */
export const maxTitleLength = 2_000

/**
 * Reads a navigation document (EPUB 3.3, section 7) at `path`. If no `nav` has the type `toc`, the first one without a
 * type is the table of contents. Throws `TOO_DEEP`.
 */
export function readNav(bytes: Uint8Array, path: string): Navigation {
  const lists: { type: string; entries: NavigationEntry[] }[] = []
  let list: (typeof lists)[number] | null = null
  let depth = 0
  let entry: NavigationEntry | null = null
  parseXhtml(decodeMarkup(bytes), path, {
    onopentag(name, attributes) {
      if (name === 'nav') {
        list = { type: ` ${attributes['epub:type'] ?? attributes['role'] ?? ''} `, entries: [] }
        lists.push(list)
        depth = 0
      } else if (list !== null && (name === 'ol' || name === 'ul')) {
        depth++
        entry = null
      } else if (list !== null && depth > 0 && (name === 'a' || (name === 'span' && entry === null))) {
        const target = attributes['href'] === undefined ? null : resolveHref(path, attributes['href'])
        entry = { title: '', level: Math.min(depth, maxLevel), target }
        list.entries.push(entry)
      } else if (entry !== null && name === 'img') entry.title += attributes['alt'] ?? ''
    },
    ontext(text) {
      if (entry !== null && entry.title.length < maxTitleLength) entry.title += text
    },
    onclosetag(name) {
      if (name === 'nav') list = null
      else if (name === 'ol' || name === 'ul') depth = Math.max(0, depth - 1)
      if (name === 'a' || name === 'li' || name === 'nav') entry = null
    },
  })
  const findList = (token: string) =>
    lists.find(({ type }) => type.includes(` ${token} `) || type.includes(` doc-${token} `))
  const untypedList = lists.find(({ type }) => type.trim() === '')
  return {
    entries: cleanTitles((findList('toc') ?? untypedList)?.entries ?? []),
    pageLabels: cleanTitles((findList('page-list') ?? findList('pagelist'))?.entries ?? []).flatMap(
      ({ title, target }) => (target === null ? [] : [{ label: title, target }]),
    ),
  }
}

/** Normalizes the white space of titles and drops entries without one. */
export function cleanTitles<T extends { title: string }>(entries: readonly T[]): T[] {
  const clean = entries.map((entry) => ({ ...entry, title: entry.title.replace(/\s+/g, ' ').trim().toWellFormed() }))
  return clean.filter(({ title }) => title !== '')
}
