import { escapeXml } from '../reading/export/xml-text.ts'
import {
  atomTypes,
  facetRel,
  imageRel,
  thumbnailRel,
  type FacetGroup,
  type Feed,
  type Link,
  type Publication,
  type Section,
} from './feed.ts'

const namespaces =
  'xmlns="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/terms/" xmlns:opds="http://opds-spec.org/2010/catalog" xmlns:schema="http://schema.org/" xmlns:thr="http://purl.org/syndication/thread/1.0"'

/** A feed of OPDS 1.2: Atom (RFC 4287). */
export function writeAtom({ id, title, updated, links, facets = [], content }: Feed): string {
  const entries =
    content.kind === 'navigation' ? content.sections.map(writeSection(updated)) : content.books.map(writeBook)
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed ${namespaces}>
${element('id', id)}${element('title', title)}${element('updated', updated.toISOString())}<author><name>Lectern</name></author>
${links.map(writeLink).join('')}${facets.map(writeFacets).join('')}${entries.join('')}</feed>
`
}

/** OPDS 1.2, section 4; the count is that of RFC 4685. */
function writeFacets({ title: group, facets }: FacetGroup): string {
  return facets
    .map(({ title, href, active, count }) => {
      const attributes = `rel="${facetRel}" href="${escapeXml(href)}" type="${escapeXml(atomTypes.acquisition)}" title="${escapeXml(title)}" opds:facetGroup="${escapeXml(group)}"`
      return `<link ${attributes}${active ? ' opds:activeFacet="true"' : ''}${count === null ? '' : ` thr:count="${count}"`}/>\n`
    })
    .join('')
}

function writeSection(updated: Date) {
  return ({ id, title, summary, href, kind, rel }: Section): string =>
    `<entry>
${element('id', id)}${element('title', title)}${element('updated', updated.toISOString())}${text('content', summary)}${writeLink({ rel, href, type: atomTypes[kind] })}</entry>
`
}

function writeBook(book: Publication): string {
  const { id, title, author, languages, publisher, isbn, issued, identifiers, summary, categories, series, cover } =
    book
  const images = cover === null ? [] : [imageRel, thumbnailRel].map((rel) => ({ rel, href: cover }))
  return `<entry>
${element('id', id)}${element('title', title)}${element('updated', book.updated.toISOString())}${element('published', book.published.toISOString())}${
    author === null ? '' : `<author>${element('name', author)}</author>\n`
  }${languages.map((tag) => element('dc:language', tag)).join('')}${element('dc:publisher', publisher)}${element('dc:issued', issued)}${[...(isbn === null ? [] : [`urn:isbn:${isbn}`]), ...identifiers].map((each) => element('dc:identifier', each)).join('')}${series === null ? '' : writeSeries(series)}${categories
    .map((name) => `<category term="${escapeXml(name)}" label="${escapeXml(name)}"/>\n`)
    .join(
      '',
    )}${summary === null ? '' : text('summary', summary)}${[...book.links, ...images].map(writeLink).join('')}</entry>
`
}

/** Writes the series in the form that readers of OPDS 1 know, because OPDS 1 has no element for it. */
function writeSeries({ name, position }: NonNullable<Publication['series']>): string {
  return `<schema:Series schema:name="${escapeXml(name)}"${position === null ? '' : ` schema:position="${position}"`}/>\n`
}

/** An element with a text; empty if the text is. */
function element(name: string, content: string | null): string {
  return content === null || content.trim() === '' ? '' : `<${name}>${escapeXml(content)}</${name}>\n`
}

function text(name: 'content' | 'summary', content: string): string {
  return `<${name} type="text">${escapeXml(content)}</${name}>\n`
}

function writeLink({ rel, href, type, title, length }: Link): string {
  const attributes = { rel, href, type, title, length: length?.toString() }
  const given = Object.entries(attributes).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return `<link ${given.map(([name, value]) => `${name}="${escapeXml(value)}"`).join(' ')}/>\n`
}

/** The OpenSearch 1.1 description of a search whose URL contains `{searchTerms}`. */
export function writeSearchDescription(template: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>Lectern</ShortName>
<Description>Search the books of your library</Description>
<InputEncoding>UTF-8</InputEncoding>
<OutputEncoding>UTF-8</OutputEncoding>
<Url type="${escapeXml(atomTypes.acquisition)}" template="${escapeXml(template)}"/>
</OpenSearchDescription>
`
}
