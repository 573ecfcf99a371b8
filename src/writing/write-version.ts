import { setTimeout as delay } from 'node:timers/promises'
import { describeCaller } from '../accounts/describe-caller.ts'
import { findAccessibleBook, itemNotFound, findWritableBook } from '../books/find-book.ts'
import { isBookKept } from '../books/bin.ts'
import type { BinStores } from '../books/bin-store.ts'
import type { Book } from '../books/book.ts'
import { requireStorageOfOwner } from '../books/storage-limit.ts'
import { AppError } from '../core/errors.ts'
import type { Manifest } from '../reading/manifest.ts'
import { holdFor, decideHeldVersion, type HeldVersionStores } from './held-version.ts'
import { ownBytesOf } from '../reading/stored-bytes.ts'
import { publishVersion } from './publish-version.ts'
import { requireEditable } from './require-editable.ts'
import type { VersionDraft } from './splice-pages.ts'
import { stagePages, type StagedPages } from './stage-pages.ts'
import { sealVersion } from './seal-version.ts'
import { versionConflict } from './version-conflict.ts'
import type { Call } from '../core/context.ts'
import type { WritingStores } from './stores.ts'
import { quotedFromField, type AccessibleBook, type BookAccessStores } from '../books/access.ts'
import type { ContentStores } from '../reading/store.ts'
import type { BookEventServices } from '../books/events.ts'
import type { BookStores } from '../books/store.ts'

/** A change of a book's text. */
export interface VersionChange {
  id: string
  /** Reason in the list of versions. */
  reason: string
  /** Refuses with VERSION_CONFLICT unless the book is at this version. */
  expectedVersion: number | undefined
  /** Id of a call that may be repeated after its answer was lost; it takes effect once. */
  writeId?: string | undefined
  /** The version whose pages the new one shares, even if the current one lacks them. */
  restoredFrom?: number
  /**
   * Builds the change on top of a version; null if nothing changes. Called again with a later version after a
   * concurrent write.
   */
  draft(base: Manifest): Promise<VersionDraft | null>
}

/** The book after a change, whether the change had an effect or not. */
export interface WriteResult {
  title: string
  /** The author of the title, if not the caller; see `Access`. */
  quotedFrom?: string
  version: number
  pageCount: number
  updatedAt: string
}

/** How long a write without an expected version is retried, ms. */
const retryTimeoutMs = 2000

/**
 * Writes the next version of a book: stores new pages, seals the manifest under the next number (only one writer can do
 * that), and publishes it. Readers see one complete version or the next. Without an expected version, retries after
 * concurrent writes for 2 seconds, then refuses with TRANSIENT_CONFLICT.
 */
export function writeVersion(ctx: Call & WritingStores, change: VersionChange): Promise<WriteResult> {
  // Serialized within the process, where concurrent attempts would only collide.
  return ctx.writes.runExclusive(ctx.actor.id, change.id, () => writeWithRetries(ctx, change))
}

async function writeWithRetries(ctx: Call & WritingStores, change: VersionChange): Promise<WriteResult> {
  const staged = stagePages(ctx)
  const deadline = performance.now() + retryTimeoutMs
  try {
    for (let attempt = 0; ; attempt++) {
      const written = await tryWrite(ctx, change, staged)
      if (written) return written
      if (performance.now() > deadline) throw writeContentionError()
      await delay(Math.random() * Math.min(50, 2 ** attempt), undefined, { signal: ctx.signal })
    }
  } finally {
    await staged.cleanUp()
  }
}

/**
 * Tries to write once; null if a concurrent write was faster, or the version was dropped because of concurrent changes.
 */
async function tryWrite(
  ctx: Call & WritingStores,
  change: VersionChange,
  staged: StagedPages,
): Promise<WriteResult | null> {
  const { id, expectedVersion, writeId } = change
  const book = await findWritableBook(ctx, id, requireEditable)
  const earlier = writeId === undefined ? null : await ctx.contents.findByWriteId(id, writeId)
  if (earlier) return repeatWrite(ctx, change, { book, earlier })
  if (expectedVersion !== undefined && expectedVersion !== book.version) {
    throw await versionConflict(ctx, book, expectedVersion)
  }
  const base = await requireManifest(ctx, book, book.version)
  const draft = await change.draft(base)
  if (!draft) return presentUnchanged(book)
  const newText = draft.pages.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  const ownBytes = ownBytesOf(draft, newText, base)
  if (ownBytes > 0) await requireStorageOfOwner(ctx, book.ownerId, ownBytes)
  const revision = await staged.store(book, draft.pages)
  const manifest = await buildManifest(ctx, change, { book, base, draft, ownBytes, revision })
  const seal = async () => (await sealVersion(ctx, book, manifest)) && decideHeldVersion(ctx, book, manifest)
  if (!(await staged.commit(seal))) return null
  return publishWrite(ctx, book, manifest)
}

async function repeatWrite(
  ctx: Call & BookAccessStores & BinStores & BookEventServices & HeldVersionStores,
  change: VersionChange,
  { book, earlier }: { book: AccessibleBook; earlier: Manifest },
): Promise<WriteResult | null> {
  if (!(await decideHeldVersion(ctx, book, earlier))) return null
  // Used only for the numbers in the answer; these are lost if the previous version is.
  const base = await ctx.contents.findSealedManifest(book.id, earlier.version - 1)
  if (base && base.purgedAt === undefined) await change.draft(base)
  return publishWrite(ctx, book, earlier)
}

async function requireManifest(
  ctx: Call & BookAccessStores & ContentStores,
  { id }: Book,
  version: number,
): Promise<Manifest> {
  const manifest = await ctx.contents.getManifest(id, version)
  if (manifest) return manifest
  await findAccessibleBook(ctx, id)
  throw new Error(`Version ${version} of book ${id} is missing in the store`)
}

interface ManifestParts {
  book: Book
  base: Manifest
  draft: VersionDraft
  ownBytes: number
  revision: string
}

async function buildManifest(
  ctx: Call,
  { reason, writeId, restoredFrom }: VersionChange,
  { book, base, draft, ownBytes, revision }: ManifestParts,
): Promise<Manifest> {
  const { pages: _pages, runs, ...totals } = draft
  return {
    ...totals,
    ownBytes,
    itemId: base.itemId,
    version: base.version + 1,
    runs: runs.map((run) => ({ ...run, revision: run.revision ?? revision })),
    createdAt: ctx.now(),
    createdBy: ctx.actor.id,
    client: describeCaller(ctx),
    by: ctx.actor.credential.name ?? null,
    reason,
    jobId: null,
    ...(writeId === undefined ? {} : { writeId }),
    ...holdFor({ ownerId: book.ownerId, authorId: ctx.actor.id, restoredFrom }),
  }
}

async function publishWrite(
  ctx: ContentStores & BookEventServices & BookStores & BinStores,
  book: AccessibleBook,
  manifest: Manifest,
): Promise<WriteResult> {
  const published = await publishVersion(ctx, book, manifest)
  if (!published) {
    // The book was deleted in the meantime: removes its content, unless it can be brought back.
    if (!(await isBookKept(ctx, book))) await ctx.contents.removeBook(book.id)
    throw itemNotFound()
  }
  if (published.pageCount !== book.pageCount) await ctx.bookEvents.changed(book)
  const { version, pageCount, createdAt } = manifest
  return {
    title: published.title,
    version,
    pageCount,
    updatedAt: createdAt.toISOString(),
    ...quotedFromField(book),
  }
}

function presentUnchanged(book: AccessibleBook): WriteResult {
  const { title, version, pageCount, updatedAt } = book
  return { title, version, pageCount, updatedAt: updatedAt.toISOString(), ...quotedFromField(book) }
}

function writeContentionError(): AppError {
  return new AppError(
    'TRANSIENT_CONFLICT',
    'Other calls are writing to this book at the same time. Retry in a second.',
    {
      retryAfterSeconds: 1,
      details: { retryAfterSeconds: 1 },
    },
  )
}
