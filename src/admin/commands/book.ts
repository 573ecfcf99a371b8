import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { z } from 'zod'
import type { Account } from '../../core/account.ts'
import { contentTypesOf, sourceTypeOf } from '../../books/new-book.ts'
import { systemOwner } from '../../books/book.ts'
import { AppError } from '../../core/errors.ts'
import { confirmUpload } from '../../imports/confirm-upload.ts'
import { startUpload } from '../../imports/start-upload.ts'
import { featureBook } from '../../marketplace/feature-book.ts'
import { createAccountContext, systemAccount } from './account-context.ts'
import { byCommand, defineCommand, type AdminContext } from './command.ts'
import { findAccountByEmail, Email } from './find-account.ts'
import { waitForJob } from './wait-for-job.ts'

const File = {
  file: z.string().min(1),
  title: z.string().trim().min(1).max(200).optional(),
  wait: z.literal(true).optional(),
}

export const bookAdd = defineCommand({
  name: 'book add',
  usage: '--email E --file F [--title T] [--wait]',
  summary: "Add a PDF, EPUB or Markdown file to an account's library. --wait: until the import has ended.",
  options: z.strictObject({ email: Email, ...File }),
  run: async (admin, { email, ...file }) => addBook(admin, await findAccountByEmail(admin.services, email), file),
})

export const bookSystem = defineCommand({
  name: 'book system',
  usage: '--file F [--title T] [--wait]',
  summary: 'Add a built-in book, which every account can read.',
  options: z.strictObject(File),
  run: (admin, file) => addBook(admin, systemAccount(admin.services), file),
})

export const bookFeature = defineCommand({
  name: 'book feature',
  usage: '--item ID',
  summary: 'Feature a book as book of the week: for 7 days, every account that has added it can read all of it.',
  options: z.strictObject({ item: z.string().min(1) }),
  async run({ services }, { item: id }) {
    const featuredUntil = (await featureBook(services, { id })).featuredUntil.toISOString()
    await services.audit.record({ type: 'book_featured', by: byCommand, accountId: null, detail: { item: id } })
    return { json: { itemId: id, featuredUntil }, text: `${id} is featured until ${featuredUntil}` }
  },
})

interface FileOptions {
  file: string
  title?: string | undefined
  wait?: true | undefined
}

async function addBook(admin: AdminContext, owner: Account, { file, title, wait }: FileOptions) {
  const ctx = createAccountContext(admin, owner)
  const filename = basename(file)
  const bytes = await sizeOf(file)
  const sourceType = sourceTypeOf(filename)
  const contentType = sourceType ? (contentTypesOf(sourceType)[0] as string) : ''
  const { itemId, storageKey } = await startUpload(ctx, { filename, size: bytes, contentType })
  await ctx.files.put(storageKey, createReadStream(file), { contentType, maxBytes: bytes })
  if (title !== undefined) {
    const set = { title, metadataConfirmedAt: ctx.now() }
    await ctx.books.change(owner.id, itemId, { set, status: 'DRAFT' })
  }
  const { job } = await confirmUpload(ctx, { itemId, storageKey })
  if (owner.id === systemOwner)
    await ctx.audit.record({ type: 'built_in_book_added', by: byCommand, detail: { item: itemId } })
  if (!wait) return { json: { itemId, job }, text: `${itemId}  The import is queued (job ${job.id})` }
  const finishedJob = await waitForJob(admin, { accountId: owner.id, jobId: job.id })
  const [book] = await ctx.books.findOwned(owner.id, [itemId])
  const ok = finishedJob.status === 'SUCCEEDED'
  const summary = ok
    ? `${itemId}  ${book?.title}, ${book?.pageCount} pages`
    : `${itemId}  The import failed: ${finishedJob.error}`
  const note = ok && book?.healthReason ? `\n${book.healthReason}` : ''
  return { json: { itemId, job: finishedJob }, text: summary + note, ok }
}

async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch(() => null)
  if (!found?.isFile()) throw new AppError('NOT_FOUND', `File not found: ${file}`)
  return found.size
}
