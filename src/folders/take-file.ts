import { basename } from 'node:path'
import type { Call } from '../core/context.ts'
import { AppError } from '../core/errors.ts'
import { FileStoreError } from '../files/store.ts'
import {
  addLocalFile,
  findAddedFile,
  readDigest,
  type AddedBook,
  type AddFileServices,
} from '../imports/add-local-file.ts'
import type { FoundFile } from './book-source.ts'

export type TakenFile =
  | { kind: 'added' | 'existing'; book: AddedBook; sha256: string }
  /** Not a file for this library, with the reason. */
  | { kind: 'leftOut'; reason: string }
  /** `mayPass`: another attempt with the same file may succeed. */
  | { kind: 'failed'; reason: string; mayPass: boolean }
  /** The library has no room for it, and probably for no other file. */
  | { kind: 'full'; reason: string }
  /** Too many imports wait; try again later. */
  | { kind: 'later' }

/**
 * Adds a file as a book unless the library already has it. Throws only errors that concern neither the file nor the
 * library.
 */
export async function takeFile(ctx: AddFileServices, file: FoundFile): Promise<TakenFile> {
  const tooLarge = sizeProblem(ctx, file)
  if (tooLarge !== null) return { kind: 'leftOut', reason: tooLarge }
  try {
    const { remote } = file
    const known = remote && (await findAddedFile(ctx, { origin: remote.origin }))
    if (remote && known) return { kind: 'existing', book: known, sha256: remote.origin }
    await remote?.fetch(ctx.actor.plan.uploadMb * 1024 * 1024)
    const digest = await readDigest(file.path)
    const found = { path: file.path, filename: basename(file.name), ...digest }
    const existing = await findAddedFile(ctx, { sha256: digest.sha256 })
    const metadata = remote ? { ...file.metadata, origin: remote.origin } : file.metadata
    if (existing && remote) await ctx.books.change(ctx.actor.id, existing.itemId, { set: { origin: remote.origin } })
    if (existing) return { kind: 'existing', book: existing, sha256: digest.sha256 }
    return {
      kind: 'added',
      book: await addLocalFile(ctx, found, { given: metadata, told: 'together' }),
      sha256: digest.sha256,
    }
  } catch (error) {
    const outcome = outcomeOf(error)
    if (outcome === null) throw error
    return outcome
  }
}

/** Why a file is too large for the caller's plan; null if it is not. */
export function sizeProblem({ actor }: Call, { bytes }: Pick<FoundFile, 'bytes'>): string | null {
  const { uploadMb, tierDisplay } = actor.plan
  return bytes > uploadMb * 1024 * 1024 ? `larger than ${uploadMb} MB, the limit of the ${tierDisplay} plan` : null
}

function outcomeOf(error: unknown): TakenFile | null {
  if (error instanceof FileStoreError && error.code === 'TOO_LARGE')
    return { kind: 'failed', reason: 'changed while they were read', mayPass: true }
  if (!(error instanceof AppError)) return null
  if (error.code === 'RATE_LIMITED') return { kind: 'later' }
  if (error.code === 'PLAN_LIMIT_EXCEEDED') return { kind: 'full', reason: error.message }
  if (error.details['reason'] === 'UPLOAD_TYPE_MISMATCH')
    return { kind: 'failed', reason: 'content does not match the file extension', mayPass: false }
  const { cause } = error
  const isUnreadable = error.code === 'FORBIDDEN' && cause instanceof Error && 'code' in cause
  const reason = isUnreadable ? `cannot be read (${String(cause.code)})` : error.message
  return { kind: 'failed', reason, mayPass: isUnreadable }
}
