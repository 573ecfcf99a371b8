import type { Book } from '../books/book.ts'
import type { Manifest, OutlineEntry, VersionSummary } from '../reading/manifest.ts'

/** The entry of a version in `book.json`. Of its authors, it names only the owner. */
export function describeVersion(ownerId: string, version: VersionSummary | Manifest, text: string | null) {
  const { createdAt, createdBy, client, reason, pageCount, bytes, purgedAt } = version
  return {
    version: version.version,
    createdAt: createdAt.toISOString(),
    writtenBy: createdBy === ownerId ? 'you' : 'another account',
    client: client ?? null,
    reason,
    pageCount,
    bytes,
    removedAt: purgedAt?.toISOString() ?? null,
    text,
  }
}

interface BookParts {
  /** Paths in the archive; null if absent. */
  original: string | null
  text: string | null
  outline: readonly OutlineEntry[]
  versions: readonly ReturnType<typeof describeVersion>[]
}

/** The content of `book.json`, with archive paths. */
export function describeBook(book: Book, { original, text, outline, versions }: BookParts) {
  return {
    id: book.id,
    title: book.title,
    author: book.author,
    description: book.description,
    language: book.language,
    publisher: book.publisher,
    isbn: book.isbn,
    sourceType: book.sourceType,
    fileFormat: book.fileFormat ?? null,
    status: book.status,
    health: book.health,
    healthReason: book.healthReason,
    pageCount: book.pageCount,
    version: book.version,
    createdAt: book.createdAt.toISOString(),
    updatedAt: book.updatedAt.toISOString(),
    contentUpdatedAt: book.contentUpdatedAt.toISOString(),
    publishedAt: book.publishedAt?.toISOString() ?? null,
    enrichedAt: book.enrichedAt?.toISOString() ?? null,
    enrichmentConfidence: book.enrichmentConfidence,
    metadataConfirmedAt: book.metadataConfirmedAt?.toISOString() ?? null,
    prompts: book.prompts,
    sampleQuestion: book.sampleQuestion,
    outcomes: book.outcomes,
    outline: { givenByYou: book.tocId !== null, entries: outline },
    original: book.original && {
      path: original,
      filename: book.original.filename,
      contentType: book.original.contentType,
      bytes: book.original.bytes,
      sha256: book.original.sha256,
    },
    text,
    versions,
  }
}
