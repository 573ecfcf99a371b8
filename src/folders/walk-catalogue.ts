import { AppError } from '../core/errors.ts'
import { FormatError } from '../imports/formats/format.ts'
import { decodeMarkup } from '../imports/formats/epub/decode-markup.ts'
import type { CatalogueClient } from './catalogue-client.ts'
import { readAtomFeed } from './read-atom-feed.ts'
import { readJsonFeed } from './read-json-feed.ts'
import type { FeedBook, RemoteFeed } from './remote-feed.ts'
import type { Tally } from './tally.ts'

/** Limits for walking a catalogue. */
export interface WalkLimits {
  /** Maximum depth of nested sections. */
  depth: number
  feeds: number
  books: number
  /** Maximum total size of all feeds. */
  bytes: number
  timeMs: number
}

const defaultWalkLimits: WalkLimits = {
  depth: 8,
  feeds: 10_000,
  books: 50_000,
  bytes: 512 * 1024 * 1024,
  timeMs: 60 * 60_000,
}

/** A book of a catalogue with the paths that lead to it. */
export interface WalkedBook {
  book: FeedBook
  /** Titles of sections from the top; excludes the empty path of books in the first feed. */
  paths: string[][]
}

interface Place {
  url: URL
  /** Titles of the sections on the path. */
  path: readonly string[]
  /** True for a feed that only orders or selects books, so that its titles say nothing about them. */
  isView: boolean
  /** Ids and titles of the feeds on the path. */
  above: readonly string[]
  /** For a paged feed, the books of the previous pages; null for a first page. */
  before: Set<string> | null
}

interface Walk {
  client: CatalogueClient
  leftOut: Tally
  limits: WalkLimits
  signal: AbortSignal
  books: Map<string, WalkedBook>
  /** URLs that have been read or queued. */
  seen: Set<string>
  queue: Place[]
  read: { feeds: number; bytes: number }
  endsAt: number
}

/**
 * Walks the feeds of a catalogue, breadth first, and collects its books without duplicates. Counts unreadable feeds in
 * `leftOut`. Only the first feed must be readable: otherwise refuses like the client, and with INVALID_INPUT if it is
 * not a catalogue.
 */
export async function walkCatalogue(
  client: CatalogueClient,
  root: URL,
  options: { leftOut: Tally; signal: AbortSignal; limits?: Partial<WalkLimits> | undefined },
): Promise<WalkedBook[]> {
  const limits = { ...defaultWalkLimits, ...options.limits }
  const walk: Walk = {
    client,
    ...options,
    limits,
    books: new Map(),
    seen: new Set([root.href]),
    queue: [{ url: root, path: [], isView: false, above: [], before: null }],
    read: { feeds: 0, bytes: 0 },
    endsAt: performance.now() + limits.timeMs,
  }
  for (let at = 0; at < walk.queue.length; at++) {
    if (options.signal.aborted) break
    const end = endOf(walk)
    if (end !== null) {
      walk.leftOut.add(
        `feeds beyond the limits of an import (${end}): name a part of the catalogue with --from`,
        root.host,
      )
      break
    }
    await visit(walk, walk.queue[at] as Place)
  }
  return [...walk.books.values()]
}

/** The limit that has been reached; null if none has. */
function endOf({ limits, read, books, endsAt }: Walk): string | null {
  if (read.feeds >= limits.feeds) return `${limits.feeds} feeds`
  if (books.size >= limits.books) return `${limits.books} books`
  if (read.bytes >= limits.bytes) return `${limits.bytes} bytes`
  return performance.now() >= endsAt ? `${limits.timeMs / 60_000} minutes` : null
}

async function visit(walk: Walk, place: Place): Promise<void> {
  const isRoot = walk.read.feeds === 0
  walk.read.feeds += 1
  const feed = isRoot ? await readRoot(walk, place.url) : await readLinked(walk, place)
  if (feed === null) return
  // The same feed under another URL indicates a loop.
  const name = feed.id === '' ? null : `${feed.id}\n${feed.title}`
  if (place.before === null && name !== null && place.above.includes(name)) return
  const before = place.before ?? new Set<string>()
  const known = before.size
  for (const book of feed.books) before.add(keyOf(book))
  for (const book of feed.books) await collect(walk, place, book)
  // A page without new books is the end, even if it links to a next one.
  const isNew = feed.sections.length > 0 || before.size > known
  if (feed.next && isNew) enqueue(walk, { ...place, url: feed.next, before })
  const above = name === null ? place.above : [...place.above, name]
  for (const section of feed.sections) follow(walk, { ...place, above }, section)
}

/** The first feed; null if the walk was aborted. */
async function readRoot(walk: Walk, address: URL): Promise<RemoteFeed | null> {
  try {
    const { feed, url } = await readFeed(walk, address)
    if (feed.books.length === 0 && feed.sections.length === 0 && feed.id === '')
      throw noCatalogue(url, 'it has neither books nor sections')
    return feed
  } catch (error) {
    if (walk.signal.aborted) return null
    const reason = reasonOf(error)
    if (reason === null || error instanceof AppError) throw error
    throw noCatalogue(address, reason, error)
  }
}

/** A feed that another one links to; null if it is unreadable, which is counted, or the walk was aborted. */
async function readLinked(walk: Walk, { url, path }: Place): Promise<RemoteFeed | null> {
  try {
    return (await readFeed(walk, url)).feed
  } catch (error) {
    if (walk.signal.aborted) return null
    const reason = reasonOf(error)
    if (reason === null) throw error
    walk.leftOut.add(`feeds that cannot be read: ${reason}`, path.join(' / '))
    return null
  }
}

/** Relations of feeds that only order or pick books (OPDS 1.2, section 2.3). */
const views = /^http:\/\/opds-spec\.org\/(?:sort\/|featured|recommended|shelf|subscriptions|crawlable|facet)/

const ignoredRelations = new Set(['self', 'start', 'up', 'search', 'previous', 'prev', 'first', 'last'])

function follow(walk: Walk, place: Place, { title, url, rels }: RemoteFeed['sections'][number]): void {
  const { path, isView, above } = place
  if (rels.some((rel) => ignoredRelations.has(rel))) return
  if (path.length >= walk.limits.depth) {
    walk.leftOut.add(`sections more than ${walk.limits.depth} deep`, [...path, title].join(' / '))
    return
  }
  enqueue(walk, {
    url,
    path: [...path, title.slice(0, 200)],
    isView: isView || rels.some((rel) => views.test(rel)),
    above,
    before: null,
  })
}

function enqueue({ seen, queue, limits }: Walk, place: Place): void {
  if (seen.has(place.url.href) || queue.length > limits.feeds * 2) return
  seen.add(place.url.href)
  queue.push(place)
}

/** Maximum number of stored paths per book. */
const maxPaths = 50

async function collect(walk: Walk, { path, isView }: Place, given: FeedBook): Promise<void> {
  const key = keyOf(given)
  if (key === '') return walk.leftOut.add('entries without an id and a file', given.title)
  const known = walk.books.get(key)
  if (!known && walk.books.size >= walk.limits.books) return
  const walked = known ?? { book: await completed(walk, given), paths: [] }
  walk.books.set(key, walked)
  if (!isView && path.length > 0 && walked.paths.length < maxPaths) walked.paths.push([...path])
}

function keyOf({ id, links }: FeedBook): string {
  return id || (links.find(isAcquisition)?.url.href ?? '')
}

/** The complete entry for a partial entry (OPDS 1.2, section 5.1). */
async function completed(walk: Walk, book: FeedBook): Promise<FeedBook> {
  if (book.links.some(isAcquisition)) return book
  const whole = book.links.find(
    ({ rels, type, typeGiven }) =>
      (rels.includes('alternate') && /type="?entry/i.test(typeGiven)) || type === 'application/opds-publication+json',
  )
  if (!whole || endOf(walk) !== null) return book
  walk.read.feeds += 1
  const found = await readFeed(walk, whole.url).catch(() => null)
  const [complete] = found?.feed.books ?? []
  return complete ? { ...complete, id: book.id || complete.id } : book
}

/** True for a link to a complete book that does not have to be bought or borrowed. */
export function isAcquisition({ rels }: FeedBook['links'][number]): boolean {
  return rels.some((rel) => /^http:\/\/opds-spec\.org\/acquisition(?:\/open-access)?$/.test(rel))
}

async function readFeed({ client, read }: Walk, address: URL): Promise<{ feed: RemoteFeed; url: URL }> {
  const { url, type, bytes } = await client.readFeed(address)
  read.bytes += bytes.byteLength
  const isJson = /json/i.test(type) || bytes.find((byte) => byte > 0x20) === 0x7b
  const text = decodeMarkup(bytes)
  return { feed: isJson ? readJsonFeed(text, url) : readAtomFeed(text, url), url }
}

function noCatalogue({ href }: URL, reason: string, cause?: unknown): AppError {
  return new AppError('INVALID_INPUT', `${href} is not an OPDS catalogue: ${reason}.`, { cause })
}

/** Why a feed cannot be read; null for a defect. */
function reasonOf(error: unknown): string | null {
  if (error instanceof SyntaxError) return 'no JSON'
  if (error instanceof FormatError) return error.message
  return error instanceof AppError ? error.message : null
}
