import { z } from 'zod'
import { htmlToText } from '../imports/formats/html-to-text.ts'
import { readIdentifier } from './read-atom-feed.ts'
import {
  maxFeedText,
  toFeedLink,
  type FeedBook,
  type FeedLink,
  type FeedSection,
  type RemoteFeed,
} from './remote-feed.ts'

const text = z.string().transform((value) => value.slice(0, maxFeedText).toWellFormed())
/** Treats a value that violates the standard as absent, because few feeds are completely correct. */
const lenient = <T extends z.ZodType, D>(schema: T, otherwise: D) =>
  schema
    .optional()
    .catch(undefined)
    .transform((value) => value ?? otherwise)
/** One value or several. */
const many = <T extends z.ZodType<{} | null>>(schema: T) =>
  lenient(
    z.union([z.array(z.unknown()), z.unknown()]).transform((value) => {
      const all = Array.isArray(value) ? value : [value]
      return all.flatMap((each): z.output<T>[] => {
        const read = schema.safeParse(each)
        return read.success ? [read.data] : []
      })
    }),
    [] as z.output<T>[],
  )

/** A text, or texts by language, of which the first is used. */
const Localized = z.union([text, z.record(z.string(), text).transform((all) => Object.values(all)[0] ?? '')])
const Named = z.union([text, z.object({ name: Localized }).transform(({ name }) => name)])
const Series = z.union([
  text.transform((name) => ({ name, position: null })),
  z.object({ name: Localized, position: lenient(z.number(), null) }),
])

const Link = z.object({
  href: z.string().max(4000),
  rel: many(z.string()),
  type: lenient(z.string(), ''),
  title: lenient(text, ''),
  size: lenient(z.number(), null),
  templated: lenient(z.boolean(), false),
})

const Publication = z.object({
  metadata: z.object({
    title: lenient(Localized, ''),
    identifier: lenient(text, ''),
    altIdentifier: many(Named),
    author: many(Named),
    language: many(text),
    publisher: many(Named),
    description: lenient(text, ''),
    subject: many(Named),
    published: lenient(text, null),
    belongsTo: lenient(z.object({ series: many(Series) }), null),
  }),
  links: many(Link),
  images: many(Link),
})

const Group = z.object({ navigation: many(Link), publications: many(Publication) })
const Feed = Group.extend({ links: many(Link), groups: many(Group) })

/** Parses a feed of OPDS 2.0 at the URL `base`, or a single publication. Throws `SyntaxError` if it is not JSON. */
export function readJsonFeed(json: string, base: URL): RemoteFeed {
  const value: unknown = JSON.parse(json)
  const single = Publication.safeParse(value)
  const feed = Feed.safeParse(value)
  if (!feed.success) return { id: '', title: '', next: null, sections: [], books: [] }
  const { links, navigation, publications, groups } = feed.data
  const all = [...publications, ...groups.flatMap((group) => group.publications)]
  if (all.length === 0 && single.success && isBook(single.data)) all.push(single.data)
  const next = links.flatMap((link) => readLink(link, base)).find(({ rels }) => rels.includes('next'))
  return {
    id: '',
    title: '',
    next: next?.url ?? null,
    sections: [...navigation, ...groups.flatMap((group) => group.navigation)].flatMap((link) =>
      readSection(link, base),
    ),
    books: all.map((publication) => readBook(publication, base)),
  }
}

const isBook = ({ links }: z.output<typeof Publication>) =>
  links.some(({ rel }) => rel.some((each) => each.startsWith('http://opds-spec.org/acquisition')))

function readSection(link: z.output<typeof Link>, base: URL): FeedSection[] {
  return readLink(link, base).map(({ title, url, rels }) => ({ title, url, rels }))
}

function readBook({ metadata, links, images }: z.output<typeof Publication>, base: URL): FeedBook {
  const { title, identifier, altIdentifier, author, language, publisher, description, subject } = metadata
  const [series] = metadata.belongsTo?.series ?? []
  const pictures = images.flatMap((image) => readLink(image, base))
  return {
    id: identifier,
    title,
    authors: author,
    series: series?.name ?? null,
    seriesIndex: series?.position ?? null,
    tags: subject,
    languages: language,
    publisher: publisher[0] ?? null,
    pubdate: metadata.published,
    identifiers: [identifier, ...altIdentifier].map(readIdentifier).filter((each) => each !== null),
    comments: null,
    summary: /<\/?[a-z]/i.test(description) ? (htmlToText(description, maxFeedText) ?? '') : description.trim(),
    links: [
      ...links.flatMap((link) => readLink(link, base)),
      ...pictures.map((picture) => ({ ...picture, rels: ['http://opds-spec.org/image'] })),
    ],
  }
}

function readLink({ href, rel, type, title, size, templated }: z.output<typeof Link>, base: URL): FeedLink[] {
  const link = templated ? null : toFeedLink({ rels: rel, href, type, title, length: size }, base)
  return link ? [link] : []
}
