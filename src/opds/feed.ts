/** A link of a feed or of a publication. */
export interface Link {
  rel: string
  /** Absolute. */
  href: string
  type?: string
  title?: string
  /** Bytes; left out where it is not known. */
  length?: number
}

/** An entry of a navigation feed. */
export interface Section {
  id: string
  title: string
  summary: string
  href: string
  /** `acquisition`: it leads to books. */
  kind: 'navigation' | 'acquisition'
  rel: string
}

/** A book as an entry of a catalogue. */
export interface Publication {
  id: string
  title: string
  author: string | null
  /** Tags of BCP 47, the main one first. */
  languages: readonly string[]
  publisher: string | null
  isbn: string | null
  summary: string | null
  pages: number
  published: Date
  updated: Date
  /** Its tags, and the names of the shelves that it stands on but for that of its series. */
  categories: readonly string[]
  series: { name: string; position: number | null } | null
  /** An ISO 8601 date of the book itself; `published` is that of the entry. */
  issued: string | null
  /** Further ones, as `doi:10.1000/1`. */
  identifiers: readonly string[]
  cover: string | null
  links: readonly Link[]
}

/** Ways to order or narrow the books of a feed; one of a group is active at a time. */
export interface FacetGroup {
  title: string
  facets: readonly Facet[]
}

export interface Facet {
  title: string
  /** Absolute. */
  href: string
  active: boolean
  /** Books behind it; null where it does not change how many there are. */
  count: number | null
}

/** A page of a catalogue, of either version. */
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
