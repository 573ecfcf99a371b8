import { setTimeout as wait } from 'node:timers/promises'
import { callerOf } from '../accounts/describe-caller.ts'
import { accessibleBook, itemNotFound, writableBook } from '../books/find-book.ts'
import type { Book } from '../books/book.ts'
import { AppError } from '../core/errors.ts'
import type { Manifest } from '../reading/manifest.ts'
import { publishVersion } from './publish-version.ts'
import { replaceLeftover } from './replace-abandoned-version.ts'
import type { Draft } from './splice-pages.ts'
import { stagePages, type StagedPages } from './stage-pages.ts'
import { versionConflict } from './version-conflict.ts'
import type { Call, Clock } from '../core/context.ts'
import type { ImportJobStores, WritingStores } from './stores.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { ContentStores } from '../reading/store.ts'
import type { BookEventServices } from '../books/events.ts'
import type { BookStores } from '../books/store.ts'
import type { WriteStores } from './store.ts'

/** A change of a book's text. */
export interface Change {
  id: string
  /** Named in the list of versions. */
  reason: string
  /** Refused with VERSION_CONFLICT unless the book is at this version. */
  expectedVersion: number | undefined
  /** Names a call that may be repeated after its answer was lost: it is done once. */
  writeId?: string | undefined
  /** What the change makes of a version; null when it is that version. Called again for a later one when others are faster. */
  draft(base: Manifest): Promise<Draft | null>
}

/** What the book is after a change, whether or not it changed anything. */
export interface Written {
  title: string
  version: number
  pageCount: number
  updatedAt: string
}

/** How long a write goes on trying to be the next one. */
const raceMs = 2000

/**
 * Writes the next version of a book: stores its new pages, seals its manifest under the next number, which one writer only
 * can do, and makes it the current one. A reader sees one version or the next, and never a part. Without an expected
 * version a writer that was overtaken starts again, for 2 seconds; then it is refused with TRANSIENT_CONFLICT.
 */
export function writeVersion(ctx: Call & WritingStores, change: Change): Promise<Written> {
  // Writers of one process would only be in each other's way: they queue up.
  return ctx.writes.inTurn(ctx.actor.id, change.id, () => race(ctx, change))
}

async function race(ctx: Call & WritingStores, change: Change): Promise<Written> {
  const staged = stagePages(ctx)
  const deadline = performance.now() + raceMs
  try {
    for (let attempt = 0; ; attempt++) {
      const written = await tryWrite(ctx, change, staged)
      if (written) return written
      if (performance.now() > deadline) throw overtaken()
      await wait(Math.random() * Math.min(50, 2 ** attempt), undefined, { signal: ctx.signal })
    }
  } finally {
    await staged.end()
  }
}

/** Null when another write was faster. */
async function tryWrite(ctx: Call & WritingStores, change: Change, staged: StagedPages): Promise<Written | null> {
  const { id, expectedVersion, writeId } = change
  const book = await writableBook(ctx, id, refuseUneditable)
  const earlier = writeId === undefined ? null : await ctx.contents.byWrite(id, writeId)
  if (earlier) return showEarlier(ctx, change, { book, earlier })
  if (expectedVersion !== undefined && expectedVersion !== book.version) {
    throw await versionConflict(ctx, book, expectedVersion)
  }
  const base = await versionOf(ctx, book, book.version)
  const draft = await change.draft(base)
  if (!draft) return show(book)
  const revision = await staged.store(book, draft.pages)
  const manifest = manifestOf(ctx, change, { base, draft, revision })
  if (!(await staged.handOver(() => seal(ctx, book, manifest)))) return null
  return publish(ctx, book, manifest)
}

function refuseUneditable({ sourceType, status }: Book): void {
  if (sourceType !== 'markdown') {
    const message = `Item is not editable: only Markdown books are, and this one was made from a file of type ${sourceType}.`
    throw new AppError('ITEM_NOT_EDITABLE', message)
  }
  if (status !== 'READY') {
    throw new AppError('ITEM_NOT_EDITABLE', 'Item is not editable before its file is imported. See GET /api/v1/jobs.')
  }
}

async function showEarlier(
  ctx: Call & BookAccessStores & ContentStores & BookEventServices,
  change: Change,
  { book, earlier }: { book: Book; earlier: Manifest },
) {
  await change.draft(await versionOf(ctx, book, earlier.version - 1))
  return publish(ctx, book, earlier)
}

async function versionOf(
  ctx: Call & BookAccessStores & ContentStores,
  { id }: Book,
  version: number,
): Promise<Manifest> {
  const manifest = await ctx.contents.manifest(id, version)
  if (manifest) return manifest
  await accessibleBook(ctx, id)
  throw new Error(`Version ${version} of book ${id} is missing in the store`)
}

interface Made {
  base: Manifest
  draft: Draft
  revision: string
}

function manifestOf(ctx: Call, { reason, writeId }: Change, { base, draft, revision }: Made): Manifest {
  const { pages: _, segments, ...shape } = draft
  return {
    ...shape,
    itemId: base.itemId,
    version: base.version + 1,
    segments: segments.map((run) => ({ ...run, revision: run.revision ?? revision })),
    createdAt: ctx.now(),
    createdBy: ctx.actor.id,
    client: callerOf(ctx),
    reason,
    jobId: null,
    ...(writeId === undefined ? {} : { writeId }),
  }
}

/** Seals the next version. When its number is taken, helps the other writer to an end, dead or alive, and gives false. */
async function seal(
  ctx: Clock & ContentStores & ImportJobStores & BookStores & WriteStores,
  book: Book,
  manifest: Manifest,
): Promise<boolean> {
  if (await ctx.contents.seal(manifest)) return true
  const other = await ctx.contents.sealed(book.id, manifest.version)
  if (!other) return false
  const { jobId } = other
  if (jobId === null) {
    await publishVersion(ctx, book, other)
    return false
  }
  // An import publishes its version itself, unless it has ended without.
  const job = await ctx.jobs.byId(book.ownerId, jobId)
  if (job?.status === 'PENDING' || job?.status === 'RUNNING') return false
  const [current] = await ctx.books.owned(book.ownerId, [book.id])
  if (!current || current.version >= other.version) return false
  return replaceLeftover(ctx, { ownerId: book.ownerId, manifest, leftover: { ...other, jobId } })
}

async function publish(
  ctx: ContentStores & BookEventServices & BookStores,
  book: Book,
  manifest: Manifest,
): Promise<Written> {
  const published = await publishVersion(ctx, book, manifest)
  if (!published) {
    // Deleted in the meantime: nothing may outlive the book.
    await ctx.contents.removeAll(book.id)
    throw itemNotFound()
  }
  if (published.pageCount !== book.pageCount) await ctx.bookEvents.changed(book)
  const { version, pageCount, createdAt } = manifest
  return { title: published.title, version, pageCount, updatedAt: createdAt.toISOString() }
}

function show({ title, version, pageCount, updatedAt }: Book): Written {
  return { title, version, pageCount, updatedAt: updatedAt.toISOString() }
}

function overtaken(): AppError {
  return new AppError('TRANSIENT_CONFLICT', 'Others are writing to this book at the same time. Retry in a second.', {
    retryAfterSeconds: 1,
    details: { retryAfterSeconds: 1 },
  })
}
