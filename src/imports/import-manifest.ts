import type { Book } from '../books/book.ts'
import type { Manifest } from '../reading/manifest.ts'
import { ownBytesOf } from '../reading/stored-bytes.ts'
import type { ExtractionSummary } from './extract/extractor.ts'
import type { Job } from './store.ts'

interface ImportedRevision {
  book: Book
  job: Job
  revision: string
}

/** Builds the manifest of an imported version, following the book's current version. */
export function buildManifest(
  { book, job, revision }: ImportedRevision,
  { pageCount, toc, counts, figures }: ExtractionSummary,
  { bytes, at }: { bytes: number; at: Date },
): Manifest & { ownBytes: number } {
  return {
    itemId: book.id,
    version: book.version + 1,
    runs: pageCount > 0 ? [{ revision, start: 0, count: pageCount }] : [],
    pageCount,
    bytes,
    ownBytes: ownBytesOf({ toc }, bytes, null) + figures.bytes,
    words: counts.words,
    ...(figures.count > 0 ? { figures: { revision, ...figures } } : {}),
    toc,
    createdAt: at,
    createdBy: job.accountId,
    client: null,
    reason: job.type,
    jobId: job.id,
  }
}
