import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contentTypesOf, fileFormats, formatOf, type FileFormat } from '../books/file-formats.ts'
import { AppError } from '../core/errors.ts'
import { cleanLine } from '../imports/extract/clean-text.ts'
import { maxCoverBytes } from '../imports/pictures/own-cover.ts'
import { isPublicAddress } from '../imports/url/public-address.ts'
import type { BookSource, FoundFile } from './book-source.ts'
import { createCatalogueClient, type CatalogueAddress, type CatalogueClient } from './catalogue-client.ts'
import { describeCatalogueBook } from './describe-catalogue-book.ts'
import { preferredFile } from './preferred-format.ts'
import type { FeedBook, FeedLink } from './remote-feed.ts'
import { shelvesOfPaths } from './shelves-of-paths.ts'
import { createTally, type Tally } from './tally.ts'
import { isAcquisition, walkCatalogue, type WalkedBook, type WalkLimits } from './walk-catalogue.ts'

export interface CatalogueOptions {
  /** The account that gets the books; the same book has another origin for another account. */
  accountId: string
  /** Used if the URL contains no user name. */
  credentials: CatalogueAddress['credentials']
  signal: AbortSignal
  /** Which hosts feeds may refer to. Default: those of the public internet. */
  allowsAddress?: (address: string) => boolean
  limits?: Partial<WalkLimits>
}

/** Number of consecutive failures after which the remaining files are skipped. */
const maxFailures = 10

interface Source extends CatalogueOptions {
  address: CatalogueAddress
  client: CatalogueClient
  directory: string
  failures: number
}

/** Parses a catalogue URL as typed by a user, with optional `user:password@`. Refuses with INVALID_INPUT. */
export function parseCatalogueAddress(text: string, credentials: CatalogueAddress['credentials']): CatalogueAddress {
  const url = URL.parse(text)
  if (!url || !['https:', 'http:'].includes(url.protocol))
    throw new AppError('INVALID_INPUT', 'The address of a catalogue begins with https:// or http://.')
  const isNamed = url.username !== '' || url.password !== ''
  const given = isNamed ? { user: decoded(url.username), password: decoded(url.password) } : credentials
  const isGiven = given !== null && given.user + given.password !== ''
  url.username = ''
  url.password = ''
  url.hash = ''
  return { url, credentials: isGiven ? given : null }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * The books of another server's OPDS catalogue (1.2 or 2.0). Reads its feeds at once and downloads each file when its
 * turn comes, to a temporary file that the next one replaces. Refuses like `walkCatalogue`. The caller must close it.
 */
export async function openRemoteCatalogue(text: string, options: CatalogueOptions): Promise<BookSource> {
  const { signal, limits, allowsAddress = isPublicAddress } = options
  const address = parseCatalogueAddress(text, options.credentials)
  const client = createCatalogueClient(address, { allowsAddress, signal })
  const [leftOut, notKept] = [createTally(), createTally()]
  const walked = await walkCatalogue(client, address.url, { leftOut, signal, limits })
  const chosen = walked.flatMap((each) => chooseFile(each, { leftOut, notKept }))
  const shelvesOf = shelvesOfPaths(walked)
  const directory = await mkdtemp(join(tmpdir(), 'lectern-catalogue-'))
  const source: Source = { ...options, address, client, directory, failures: 0 }
  return {
    total: { files: chosen.length, bytes: chosen.reduce((sum, { link }) => sum + (link.bytes ?? 0), 0) },
    *files() {
      for (const each of inOrderOfSeries(chosen)) {
        const { metadata, isCut } = describeCatalogueBook(each.walked.book)
        if (isCut) notKept.add('descriptions beyond 4,000 characters', each.walked.book.title)
        yield { ...toFile(source, each), metadata, shelves: shelvesOf(each.walked) }
      }
    },
    leftOut,
    notKept,
    close: () => rm(directory, { recursive: true, force: true }),
  }
}

interface ChosenFile {
  walked: WalkedBook
  link: FeedLink
  kind: FileFormat
}

function chooseFile(walked: WalkedBook, { leftOut, notKept }: { leftOut: Tally; notKept: Tally }): ChosenFile[] {
  const { title, links } = walked.book
  const whole = links.filter(isAcquisition)
  const files = whole.flatMap((link) => {
    const kind = kindOf(link)
    return kind === null ? [] : [{ link, kind }]
  })
  // Lectern offers an EPUB of the text in addition to the original file of the book.
  const best = files.find(({ link }) => link.title === 'Original') ?? preferredFile(files)
  if (!best) {
    const types = [...new Set(whole.map(({ type }) => type || 'files of an unknown type'))].sort().join(', ')
    const reason =
      types === '' ? 'books that cannot be downloaded, only bought, borrowed or sampled' : `books as ${types} only`
    leftOut.add(reason, title)
    return []
  }
  for (const { kind } of files) if (kind !== best.kind) notKept.add(`further files as ${fileFormats[kind].name}`, title)
  return [{ walked, ...best }]
}

/** The format of a file by the media type of its link, otherwise by the extension in its URL. */
function kindOf({ type, url }: FeedLink): FileFormat | null {
  const byName = formatOf(url.pathname)
  const kinds = Object.keys(fileFormats) as FileFormat[]
  if (byName !== null && contentTypesOf(byName).includes(type)) return byName
  const byType = kinds.find((kind) => contentTypesOf(kind)[0] === type)
  return byType ?? (['', 'application/octet-stream', 'application/zip'].includes(type) ? byName : null)
}

/**
 * Sorts the books of a series in reverse, because a shelf lists the newest first; other books keep the order of the
 * catalogue.
 */
function inOrderOfSeries(files: readonly ChosenFile[]): ChosenFile[] {
  const positionOf = ({ walked: { book } }: ChosenFile) => book.seriesIndex ?? 0
  const series = Map.groupBy(files, ({ walked: { book } }, at) => book.series ?? at)
  return [...series.values()].flatMap((books) => books.toSorted((a, b) => positionOf(b) - positionOf(a)))
}

function toFile(source: Source, { walked: { book }, link, kind }: ChosenFile): Omit<FoundFile, 'metadata' | 'shelves'> {
  const { client, directory } = source
  const ending = fileFormats[kind].extensions[0] as string
  const title = (cleanLine(book.title, 100) ?? 'Untitled').replaceAll(/[/\\]/g, '-')
  const path = join(directory, `book${ending}`)
  const picture = pictureOf(book)
  return {
    path,
    name: `${title}${ending}`,
    bytes: link.bytes ?? 0,
    modifiedAt: 0,
    ...(picture ? { readCover: () => client.readPicture(picture.url, maxCoverBytes) } : {}),
    remote: {
      origin: originOf(source, book, link),
      fetch: (maxBytes) => download(source, link, { path, maxBytes }),
    },
  }
}

async function download(source: Source, { url }: FeedLink, file: { path: string; maxBytes: number }): Promise<void> {
  if (source.failures >= maxFailures)
    throw new AppError('INVALID_INPUT', `not tried, because ${maxFailures} files before could not be fetched`)
  try {
    await source.client.download(url, file)
    source.failures = 0
  } catch (error) {
    source.failures += 1
    throw error
  }
}

/** The identity of a book in the next run: the account, the server, and the id of the book there. */
function originOf({ accountId, address }: Source, { id }: FeedBook, { url }: FeedLink): string {
  const text = JSON.stringify([accountId, address.url.host, id || url.href])
  return createHash('sha256').update(text).digest('hex')
}

const pictureRels = ['http://opds-spec.org/image', 'http://opds-spec.org/cover', 'http://opds-spec.org/image/thumbnail']

function pictureOf({ links }: FeedBook): FeedLink | undefined {
  return pictureRels.map((rel) => links.find(({ rels }) => rels.includes(rel))).find((link) => link !== undefined)
}
