import { jsonTypes, type FacetGroup, type Feed, type Link, type Publication, type Section } from './feed.ts'

/** A feed of OPDS 2.0. */
export function writeJson({ title, updated, links, facets = [], content }: Feed): string {
  const lists =
    content.kind === 'navigation'
      ? { navigation: content.sections.map(toNavigation) }
      : { publications: content.books.map(toPublication) }
  return JSON.stringify({
    metadata: { title, modified: updated.toISOString() },
    links: links.map(toLink),
    ...(facets.length === 0 ? {} : { facets: facets.map(toFacets) }),
    ...lists,
  })
}

/** OPDS 2.0, section 2.4: the active facet links to the feed itself. */
function toFacets({ title: group, facets }: FacetGroup) {
  const links = facets.map(({ title, href, active, count }) => ({
    title,
    href,
    type: jsonTypes.acquisition,
    ...(active ? { rel: 'self' } : {}),
    ...(count === null ? {} : { properties: { numberOfItems: count } }),
  }))
  return { metadata: { title: group }, links }
}

function toNavigation({ title, href, rel, kind }: Section) {
  return { title, href, rel, type: jsonTypes[kind] }
}

function toPublication(book: Publication) {
  const { id, title, author, languages, publisher, isbn, issued, identifiers, summary, categories, series } = book
  const { cover, pages } = book
  const others = [...(isbn === null ? [] : [`urn:isbn:${isbn}`]), ...identifiers]
  const metadata = {
    '@type': 'http://schema.org/Book',
    identifier: id,
    title,
    ...(author === null ? {} : { author }),
    ...(languages.length === 0 ? {} : { language: languages }),
    ...(publisher === null ? {} : { publisher }),
    ...(others.length === 0 ? {} : { altIdentifier: others }),
    ...(summary === null ? {} : { description: summary }),
    ...(categories.length === 0 ? {} : { subject: categories }),
    ...(pages === 0 ? {} : { numberOfPages: pages }),
    ...(issued === null ? {} : { published: issued }),
    ...(series === null ? {} : { belongsTo: { series: toSeries(series) } }),
    modified: book.updated.toISOString(),
  }
  return { metadata, links: book.links.map(toLink), ...(cover === null ? {} : { images: [{ href: cover }] }) }
}

function toSeries({ name, position }: NonNullable<Publication['series']>) {
  return { name, ...(position === null ? {} : { position }) }
}

function toLink({ length, ...link }: Link) {
  return {
    ...link,
    ...(link.href.includes('{?') ? { templated: true } : {}),
    ...(length === undefined ? {} : { size: length }),
  }
}
