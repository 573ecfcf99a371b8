import { counted } from '../../text/counted.ts'
import { stat } from 'node:fs/promises'
import { isActive } from '../../imports/list-imports.ts'
import { basename, resolve } from 'node:path'
import { systemOwner, type Book } from '../../books/book.ts'
import type { Context } from '../../app/context.ts'
import type { Account } from '../../core/account.ts'
import { AppError } from '../../core/errors.ts'
import { addLocalFile, findAddedFile, readDigest, type AddedBook } from '../../imports/add-local-file.ts'
import { createAccountContext } from './account-context.ts'
import { byCommand, type AdminContext, type CommandResult } from './command.ts'
import { waitForJob } from './wait-for-job.ts'

export interface FileOptions {
  file: string
  title?: string | undefined
  wait?: true | undefined
}

/**
 * Adds a file to a library and prints the id of its book. If the library already has the file (under the given title,
 * if any), prints the id of that book, and imports it again if its import has failed. A refusal leaves no book behind.
 */
export async function addBook(
  admin: AdminContext,
  owner: Account,
  { file, title, wait }: FileOptions,
): Promise<CommandResult> {
  const ctx = createAccountContext(admin, owner)
  const path = resolve(admin.currentFolder, file)
  await requireFile(path, file)
  const found = { path, filename: basename(path), ...(await readDigest(path)) }
  const sameFile = await findAddedFile(ctx, { sha256: found.sha256, title })
  const added = sameFile ?? (await addLocalFile(ctx, found, title === undefined ? {} : { given: { title } }))
  if (owner.id === systemOwner && !sameFile)
    await ctx.audit.record({ type: 'built_in_book_added', by: byCommand, detail: { item: added.itemId } })
  if (wait) {
    const email = owner.id === systemOwner ? null : owner.email
    return describeEnd(ctx, added, await waitForJob(admin, { accountId: owner.id, jobId: added.job.id, email }))
  }
  const [book] = await ctx.books.findOwned(owner.id, [added.itemId])
  const { itemId, job, existing } = added
  const hasEnded = !isActive(job)
  return {
    json: { itemId, job, ...(existing ? { existing } : {}) },
    text: itemId,
    remarks: [
      ...existingRemarks(added, book),
      ...(hasEnded ? healthRemarks(book) : [`The import is queued (job ${job.id}).`]),
    ],
  }
}

async function requireFile(path: string, file: string): Promise<void> {
  const found = await stat(path).catch(() => null)
  if (!found?.isFile()) throw new AppError('NOT_FOUND', `File not found: ${file === path ? file : `${file} (${path})`}`)
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
  return [`The library already has this file, as "${book.title}"${pages}.`]
}

function healthRemarks(book: Book | undefined): string[] {
  return book?.healthReason ? [book.healthReason] : []
}

function pagesOf(book: Book | undefined): string {
  return counted(book?.pageCount ?? 0, 'page')
}
