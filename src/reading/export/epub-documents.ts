import type { TocNode } from '../schema.ts'
import { escapeXml } from './xml-text.ts'

/** The metadata of the book in an EPUB. */
export interface EpubBook {
  id: string
  version: number
  title: string
  author: string | null
  description: string | null
  publisher: string | null
  /** BCP 47; `und` if unknown. */
  language: string
  updatedAt: Date
}

/** A text file with the pages from `first` to `last`. */
export interface Section {
  file: string
  title: string
  first: number
  last: number
  /** True if the file contains MathML; known once it has been written. */
  hasFormulas: boolean
}

/** A picture file of the book. */
export interface FigureFile {
  file: string
  mediaType: string
}

const rightToLeft = /^(?:ar|dv|fa|he|ks|ps|sd|ug|ur|yi)(?:-|$)/i
const directionOf = (language: string) => (rightToLeft.test(language) ? 'rtl' : 'ltr')

export const containerXml = `<?xml version="1.0" encoding="UTF-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="EPUB/book.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>
`

export const styleSheet = `body { line-height: 1.5; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
table { border-collapse: collapse; }
th, td { border: 1px solid; padding: 0.2em 0.5em; }
blockquote { margin: 1em 1.5em; }
aside { font-size: 0.9em; }
img { max-width: 100%; }
.align-center { text-align: center; }
.align-right { text-align: end; }
.scroll { overflow-x: auto; }
mtext[mathvariant*="bold"] { font-weight: bold; }
mtext[mathvariant*="italic"] { font-style: italic; }
mtext[mathvariant="monospace"] { font-family: monospace; }
`

function optional(name: string, value: string | null): string {
  return value === null || value.trim() === '' ? '' : `<dc:${name}>${escapeXml(value)}</dc:${name}>\n`
}

/** The package document (EPUB 3.3, section 5). */
export function packageDocument(
  book: EpubBook,
  sections: readonly Section[],
  figures: readonly FigureFile[] = [],
): string {
  const { id, version, title, author, description, publisher, language, updatedAt } = book
  const items = sections.map(
    ({ file, hasFormulas }, at) =>
      `<item id="s${at}" href="${file}" media-type="application/xhtml+xml"${hasFormulas ? ' properties="mathml"' : ''}/>`,
  )
  const pictures = figures.map(
    ({ file, mediaType }, at) => `<item id="f${at}" href="${file}" media-type="${mediaType}"/>`,
  )
  const references = sections.map((_, at) => `<itemref idref="s${at}"/>`)
  return `<?xml version="1.0" encoding="UTF-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="${escapeXml(language)}">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">urn:lectern:${escapeXml(id)}:${version}</dc:identifier>
<dc:title>${escapeXml(title)}</dc:title>
<dc:language>${escapeXml(language)}</dc:language>
${optional('creator', author)}${optional('description', description)}${optional('publisher', publisher)}<meta property="dcterms:modified">${updatedAt.toISOString().slice(0, 19)}Z</meta>
</metadata>
<manifest>
<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="style" href="book.css" media-type="text/css"/>
${[...items, ...pictures].join('\n')}
</manifest>
<spine page-progression-direction="${directionOf(language)}">
${references.join('\n')}
</spine>
</package>
`
}

/** The navigation document: the table of contents and, for a book with printed pages, the page list. */
export function navigationDocument(
  book: EpubBook,
  toc: readonly TocNode[],
  { linkTo, pages }: { linkTo: (page: number) => string; pages: readonly { page: number; label: string }[] },
): string {
  const link = (page: number, text: string) =>
    `<a href="${linkTo(page)}">${escapeXml(text.trim() || `Page ${page}`)}</a>`
  const list = (nodes: readonly TocNode[]): string => {
    const entries = nodes.map(
      ({ title, startPage, children }) =>
        `<li>${link(startPage, title)}${children.length > 0 ? `\n${list(children)}` : ''}</li>`,
    )
    return `<ol>\n${entries.join('\n')}\n</ol>`
  }
  const contents = toc.length > 0 ? list(toc) : `<ol>\n<li>${link(1, book.title)}</li>\n</ol>`
  const printed = pages.map(({ page, label }) => `<li>${link(page, label)}</li>`)
  const pageList =
    printed.length > 0
      ? `<nav epub:type="page-list" role="doc-pagelist" hidden="hidden"><ol>\n${printed.join('\n')}\n</ol></nav>\n`
      : ''
  const body = `<nav epub:type="toc" role="doc-toc" id="toc">\n<h1>Contents</h1>\n${contents}\n</nav>\n${pageList}`
  const [start, end] = xhtmlAround(book, 'Contents')
  return `${start}${body}${end}`
}

/** The start and end of an XHTML file, around its body. */
export function xhtmlAround({ language }: EpubBook, title: string): [start: string, end: string] {
  const language_ = escapeXml(language)
  const start = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" xml:lang="${language_}" lang="${language_}" dir="${directionOf(language)}">
<head>
<title>${escapeXml(title.trim() || 'Untitled')}</title>
<link rel="stylesheet" type="text/css" href="book.css"/>
</head>
<body>
`
  return [start, '</body>\n</html>\n']
}

/** The marker for the start of a page. */
export function pageMark(page: number, label: string): string {
  return `<div epub:type="pagebreak" role="doc-pagebreak" id="p${page}" aria-label="${escapeXml(label)}"></div>\n`
}
