import { newId } from '../../src/core/ids.ts'
import { newBook } from '../../src/books/new-book.ts'
import { withSlot } from '../../src/books/with-slot.ts'
import { contextOf } from './context.ts'
import { failedHealth } from '../../src/imports/assess-health.ts'
import { extractionMessages, type ExtractionErrorCode } from '../../src/imports/extract/extraction-error.ts'
import type { TestServer } from './server.ts'

/** A book whose import the test controls; on a server with the role `web`, nothing else touches it. */
export interface UnfinishedBook {
  id: string
  /** Stores further pages and shows them. */
  show(...pages: string[]): Promise<void>
  /** Ends the import with the existing pages. */
  finish(): Promise<void>
  /** Fails the import for this reason, without pages. */
  fail(code: ExtractionErrorCode): Promise<void>
}

/** Creates a book that is still being imported. */
export async function makeUnfinishedBook(
  { running }: Pick<TestServer, 'running'>,
  owner: { id: string },
  { title = 'An unfinished book', total = null as number | null } = {},
): Promise<UnfinishedBook> {
  const { services } = running.opened
  const [id, jobId, createdAt] = [newId(), newId(), services.now()]
  const revision = `${jobId}-1`
  const names = { title, sourceType: 'epub' as const, status: 'PROCESSING' as const }
  const book = newBook({ id, ownerId: owner.id, ...names, createdAt, jobId, storedBytes: 0 })
  await withSlot(await contextOf({ running }, owner), id, () => services.books.add(book))
  const times = { createdAt, updatedAt: createdAt, leaseUntil: new Date(createdAt.getTime() + 3_600_000) }
  const progress = { progress: 0, stage: 'reading', error: null, errorCode: null, attempts: 1, fence: newId() }
  const job = { id: jobId, itemId: id, accountId: owner.id, type: 'import', status: 'RUNNING' } as const
  await services.jobs.add({ ...job, ...progress, ...times })
  const all: string[] = []
  const bytes = () => Buffer.byteLength(all.join(''))
  const endJob = (status: 'SUCCEEDED' | 'FAILED', errorCode: ExtractionErrorCode | null = null) =>
    services.jobs.end(jobId, {
      status,
      error: errorCode && extractionMessages[errorCode],
      errorCode,
      updatedAt: services.now(),
    })
  return {
    id,
    async show(...pages) {
      const stored = pages.map((content) => ({ content, label: null }))
      await services.contents.writePages(id, revision, { first: all.length, pages: stored })
      all.push(...pages)
      const extent = { pages: all.length, total, bytes: bytes(), words: all.length }
      await services.books.showUnfinished(owner.id, id, { jobId, attempt: 1, revision, ...extent })
    },
    async finish() {
      const sizes = { pageCount: all.length, bytes: bytes(), ownBytes: bytes(), words: all.length }
      const origin = { createdAt, createdBy: owner.id, client: null, reason: 'import', jobId }
      const runs = [{ revision, start: 0, count: all.length }]
      await services.contents.seal({ itemId: id, version: 1, runs, ...sizes, toc: [], ...origin })
      const set = { status: 'READY' as const, version: 1, pageCount: all.length, unfinished: null }
      await services.books.change(owner.id, id, { set, addStoredBytes: bytes() })
      await endJob('SUCCEEDED')
    },
    async fail(code) {
      const set = { status: 'FAILED' as const, ...failedHealth(code), unfinished: null }
      await services.books.change(owner.id, id, { set })
      await services.contents.discardPages(id, revision)
      await endJob('FAILED', code)
    },
  }
}
