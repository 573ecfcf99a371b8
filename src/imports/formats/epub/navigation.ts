import { Parser } from 'htmlparser2'
import { decodeMarkup } from './decode-markup.ts'
import type { HrefTarget } from './resolve-path.ts'
import { resolveHref } from './resolve-path.ts'
import { attribute, child, children, textOf } from './xml.ts'
import type { XmlElement } from './xml.ts'

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

const maxDepth = 100

/** Reads an NCX (OPF 2.0.1, section 2.4.1) at `path`. */
export function readNcx(root: XmlElement, path: string): Navigation {
  const ncx = child(root, 'ncx')
  const entries: NavigationEntry[] = []
  const visit = (parent: XmlElement | undefined, level: number): void => {
    for (const point of children(parent, 'navPoint')) {
      entries.push({ title: textOf(child(point, 'navLabel')), level, target: targetOf(point, path) })
      visit(point, level + 1)
    }
  }
  visit(child(ncx, 'navMap'), 1)
  const pageLabels = children(child(ncx, 'pageList'), 'pageTarget').flatMap((page) => {
    const label = textOf(child(page, 'navLabel')) || (attribute(page, 'value') ?? '')
    const target = targetOf(page, path)
    return label === '' || target === null ? [] : [{ label, target }]
  })
  return { entries: cleanTitles(entries), pageLabels }
}

function targetOf(point: XmlElement, path: string): HrefTarget | null {
  const source = attribute(child(point, 'content'), 'src')
  return source === null ? null : resolveHref(path, source)
}

/**
 * Reads a navigation document (EPUB 3.3, section 7) at `path`. If no `nav` has the type `toc`, the first one without a
 * type is the table of contents.
 */
export function readNav(bytes: Uint8Array, path: string): Navigation {
  const lists: { type: string; entries: NavigationEntry[] }[] = []
  let list: (typeof lists)[number] | null = null
  let depth = 0
  let entry: NavigationEntry | null = null
  const parser = new Parser(
    {
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
          entry = { title: '', level: Math.min(depth, maxDepth), target }
          list.entries.push(entry)
        } else if (entry !== null && name === 'img') entry.title += attributes['alt'] ?? ''
      },
      ontext(text) {
        if (entry !== null && entry.title.length < 2_000) entry.title += text
      },
      onclosetag(name) {
        if (name === 'nav') list = null
        else if (name === 'ol' || name === 'ul') depth = Math.max(0, depth - 1)
        if (name === 'a' || name === 'li' || name === 'nav') entry = null
      },
    },
    { recognizeSelfClosing: true, recognizeCDATA: true },
  )
  parser.end(decodeMarkup(bytes))
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

function cleanTitles(entries: readonly NavigationEntry[]): NavigationEntry[] {
  const clean = entries.map((entry) => ({ ...entry, title: entry.title.replace(/\s+/g, ' ').trim().toWellFormed() }))
  return clean.filter(({ title }) => title !== '')
}
