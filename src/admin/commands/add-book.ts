import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { systemOwner, type Book } from '../../books/book.ts'
import { contentTypesOf, formatOf } from '../../books/file-formats.ts'
import type { Context } from '../../app/context.ts'
import type { Account } from '../../core/account.ts'
import { AppError } from '../../core/errors.ts'
import { parseInput } from '../../core/parse-input.ts'
import { discardDraft } from '../../imports/discard-draft.ts'
import { confirmUpload } from '../../imports/confirm-upload.ts'
import { reprocessItem } from '../../imports/reprocess-item.ts'
import { StartUpload } from '../../imports/schema.ts'
import { startUpload } from '../../imports/start-upload.ts'
import type { Job } from '../../imports/store.ts'
import { createAccountContext } from './account-context.ts'
import { byCommand, type AdminContext, type CommandResult } from './command.ts'
import { waitForJob } from './wait-for-job.ts'

export interface FileOptions {
  file: string
  title?: string | undefined
  wait?: true | undefined
}

interface AddedBook {
  itemId: string
  job: Pick<Job, 'id' | 'status' | 'type'>
  /** True if the library had the file already. */
  existing: boolean
}

/**
 * Adds a file to a library and prints the id of its book. A file that is there, under this title if one is given, is not added
 * again: its book is the answer; if its import has failed, it is imported again. What is refused leaves no book behind.
 */
export async function addBook(
  admin: AdminContext,
  owner: Account,
  { file, title, wait }: FileOptions,
): Promise<CommandResult> {
  const ctx = createAccountContext(admin, owner)
  const path = resolve(admin.currentFolder, file)
  const found = await readDigest(path, file)
  const added = (await findExisting(ctx, found.sha256, title)) ?? (await uploadFile(ctx, { path, title, ...found }))
  if (wait) return describeEnd(ctx, added, await waitForJob(admin, { accountId: owner.id, jobId: added.job.id }))
  const [book] = await ctx.books.findOwned(owner.id, [added.itemId])
  const { itemId, job, existing } = added
  const hasEnded = job.status !== 'PENDING' && job.status !== 'RUNNING'
  return {
    json: { itemId, job, ...(existing ? { existing } : {}) },
    text: itemId,
    remarks: [
      ...existingRemarks(added, book),
      ...(hasEnded ? healthRemarks(book) : [`The import is queued (job ${job.id}).`]),
    ],
  }
}

async function readDigest(path: string, file: string): Promise<{ bytes: number; sha256: string }> {
  const found = await stat(path).catch(() => null)
  if (!found?.isFile()) throw new AppError('NOT_FOUND', `File not found: ${file === path ? file : `${file} (${path})`}`)
  const hash = createHash('sha256')
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
    throw new AppError('FORBIDDEN', `The file ${path} cannot be read (${code}).`, { cause })
  }
  return { bytes: found.size, sha256: hash.digest('hex') }
}

/** The book that has this file, with its last job; a failed import is started again. */
async function findExisting(ctx: Context, sha256: string, title: string | undefined): Promise<AddedBook | null> {
  const ownerId = ctx.actor.id
  const book = await ctx.books.findDuplicateFile(ownerId, { sha256, excludeId: '', title })
  if (!book) return null
  if (book.status === 'FAILED') {
    if (ownerId === systemOwner) return null
    const { id, status } = (await reprocessItem(ctx, { itemId: book.id })).job
    return { itemId: book.id, job: { id, status: status as Job['status'], type: 'reprocess' }, existing: true }
  }
  const job = book.jobId === null ? null : await ctx.jobs.byId(ownerId, book.jobId)
  if (!job) return null
  const { id, status, type } = job
  return { itemId: book.id, job: { id, status, type }, existing: true }
}

interface SourceFile {
  path: string
  title: string | undefined
  bytes: number
  sha256: string
}

async function uploadFile(ctx: Context, { path, title, bytes, sha256 }: SourceFile): Promise<AddedBook> {
  const filename = basename(path)
  const format = formatOf(filename)
  const contentType = format ? (contentTypesOf(format)[0] as string) : ''
  const upload = parseInput(StartUpload, { filename, size: bytes, contentType }) as StartUpload
  const { itemId, storageKey } = await startUpload(ctx, upload)
  const ownerId = ctx.actor.id
  try {
    await ctx.files.put(storageKey, createReadStream(path), { contentType, maxBytes: bytes })
    if (title !== undefined) {
      const set = { title, metadataConfirmedAt: ctx.now() }
      await ctx.books.change(ownerId, itemId, { set, status: 'DRAFT' })
    }
    const { job } = await confirmUpload(ctx, { itemId, storageKey })
    if (ownerId === systemOwner)
      await ctx.audit.record({ type: 'built_in_book_added', by: byCommand, detail: { item: itemId } })
    await recordDigest(ctx, { itemId, jobId: job.id, sha256 })
    return { itemId, job: job as AddedBook['job'], existing: false }
  } catch (error) {
    await discardDraft(ctx, itemId).catch((err) => ctx.log.warn({ err, itemId }, 'could not remove a refused book'))
    throw error
  }
}

/** Records the digest now, so that the same file is recognised before its import has ended, and when it fails. */
async function recordDigest(
  ctx: Context,
  { itemId, jobId, sha256 }: { itemId: string; jobId: string; sha256: string },
): Promise<void> {
  const [book] = await ctx.books.findOwned(ctx.actor.id, [itemId])
  if (!book?.original) return
  await ctx.books.change(ctx.actor.id, itemId, { set: { original: { ...book.original, sha256 } }, jobId })
}

async function describeEnd(
  ctx: Context,
  { itemId, existing }: AddedBook,
  job: Awaited<ReturnType<typeof waitForJob>>,
): Promise<CommandResult> {
  const [book] = await ctx.books.findOwned(ctx.actor.id, [itemId])
  const ok = job.status === 'SUCCEEDED'
  const summary = existing ? [] : [`${book?.title}, ${pagesOf(book)}`]
  const outcome = ok ? [...summary, ...healthRemarks(book)] : [`The import failed: ${job.error}`]
  return {
    json: { itemId, job, ...(existing ? { existing } : {}) },
    text: itemId,
    remarks: [...existingRemarks({ existing }, book), ...outcome],
    ok,
  }
}

function existingRemarks({ existing }: Pick<AddedBook, 'existing'>, book: Book | undefined): string[] {
  if (!existing || !book) return []
  const pages = book.status === 'READY' ? ` (${pagesOf(book)})` : ''
  return [`The file is in the library already, as "${book.title}"${pages}.`]
}

function healthRemarks(book: Book | undefined): string[] {
  return book?.healthReason ? [book.healthReason] : []
}

function pagesOf(book: Book | undefined): string {
  return book?.pageCount === 1 ? '1 page' : `${book?.pageCount ?? 0} pages`
}
