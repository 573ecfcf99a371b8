/** A link of a feed or of a publication. */
export interface Link {
  rel: string
  /** Absolute URL. */
  href: string
  type?: string
  title?: string
  /** Size in bytes; omitted if unknown. */
  length?: number
}

/** An entry of a navigation feed. */
export interface Section {
  id: string
  title: string
  summary: string
  href: string
  /** `acquisition`: it links to books. */
  kind: 'navigation' | 'acquisition'
  rel: string
}

/** A book as an entry of a catalogue. */
export interface Publication {
  id: string
  title: string
  author: string | null
  /** BCP 47 tags, the main one first. */
  languages: readonly string[]
  publisher: string | null
  isbn: string | null
  summary: string | null
  pages: number
  published: Date
  updated: Date
  /** Its tags, and the names of its shelves except that of its series. */
  categories: readonly string[]
  series: { name: string; position: number | null } | null
  /** The ISO 8601 date of the book itself; `published` is that of the entry. */
  issued: string | null
  /** Further identifiers, such as `doi:10.1000/1`. */
  identifiers: readonly string[]
  cover: string | null
  links: readonly Link[]
}

/** Ways to sort or filter the books of a feed; one per group is active. */
export interface FacetGroup {
  title: string
  facets: readonly Facet[]
}

export interface Facet {
  title: string
  /** Absolute URL. */
  href: string
  active: boolean
  /** Number of books; null if the facet does not change the number. */
  count: number | null
}

/** A page of a catalogue, for either version of OPDS. */
export interface Feed {
  id: string
  title: string
  updated: Date
  links: readonly Link[]
  facets?: readonly FacetGroup[]
  content: { kind: 'navigation'; sections: readonly Section[] } | { kind: 'acquisition'; books: readonly Publication[] }
}

/** The media types of a version of OPDS. */
export interface MediaTypes {
  navigation: string
  acquisition: string
}

/** OPDS 1.2, section 3. */
export const atomTypes: MediaTypes = {
  navigation: 'application/atom+xml;profile=opds-catalog;kind=navigation',
  acquisition: 'application/atom+xml;profile=opds-catalog;kind=acquisition',
}

/** OPDS 2.0, section 1.1. */
export const jsonTypes: MediaTypes = { navigation: 'application/opds+json', acquisition: 'application/opds+json' }

export const acquisitionRel = 'http://opds-spec.org/acquisition'
export const sampleRel = 'http://opds-spec.org/acquisition/sample'
export const newestRel = 'http://opds-spec.org/sort/new'
export const imageRel = 'http://opds-spec.org/image'
export const facetRel = 'http://opds-spec.org/facet'
export const thumbnailRel = 'http://opds-spec.org/image/thumbnail'
