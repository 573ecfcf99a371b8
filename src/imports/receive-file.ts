import type { Book } from '../books/book.ts'
import { contentTypesOf, formatOf } from '../books/file-formats.ts'
import type { BookStores } from '../books/store.ts'
import type { Call } from '../core/context.ts'
import { AppError } from '../core/errors.ts'
import type { Plan } from '../core/plan.ts'
import { FileStoreError, type FileStores, type ReceivedFile, type StoredFile } from '../files/store.ts'
import { storeUpload } from '../files/receive-upload.ts'
import { toUploadRefusal } from './receive-uploaded-file.ts'
import type { UploadStores } from './store.ts'
import { headLength } from './formats/match-format.ts'
import { contentProblem, unsupportedName } from './unsupported-file.ts'

/** A book of the caller with the same file. */
export type SameFile = Pick<Book, 'id' | 'title' | 'language'>

/** A file that has arrived and has no book yet. Its holder must call `store` or `discard`. */
export interface ArrivedFile extends Pick<ReceivedFile, 'bytes' | 'sha256' | 'discard'> {
  contentType: string
  /** A book of the caller with the same file. */
  sameFile: SameFile | null
  /** Stores the file for a reservation of `start_upload`. */
  store(storageKey: string): Promise<void>
}

/**
 * Receives a file before a book is reserved for it, so that its size and content are known when the book is reserved.
 * Streams it without holding it in memory. Refuses with PAYLOAD_TOO_LARGE (the limit of the plan) and INVALID_INPUT
 * (not a book, empty, or content that does not match the name); then nothing is kept. Rethrows errors of `body`.
 */
export async function receiveFile(
  ctx: Call & FileStores & UploadStores & BookStores,
  { filename, body }: { filename: string; body: AsyncIterable<Uint8Array> },
): Promise<ArrivedFile> {
  const format = formatOf(filename)
  if (!format) throw unsupportedName(filename)
  const contentType = contentTypesOf(format)[0] as string
  const head = collectHead(body)
  const received = await receiveWithinPlan(ctx, head.body)
  try {
    if (received.bytes === 0) throw new AppError('INVALID_INPUT', 'The file is empty.')
    const problem = contentProblem(head.bytes(), format)
    if (problem !== null) throw new AppError('INVALID_INPUT', problem)
    const { bytes, sha256, discard } = received
    const sameFile = await findSameFile(ctx, sha256)
    return {
      bytes,
      sha256,
      contentType,
      sameFile,
      discard,
      async store(storageKey) {
        await received.store(storageKey, { contentType })
        await ctx.uploads.setReceived(storageKey, { at: ctx.now(), sha256 })
      },
    }
  } catch (error) {
    await received.discard()
    throw error
  }
}

async function receiveWithinPlan({ actor, files }: Call & FileStores, body: AsyncIterable<Uint8Array>) {
  try {
    return await files.receive(body, { maxBytes: actor.plan.uploadMb * 1024 * 1024 })
  } catch (error) {
    if (!(error instanceof FileStoreError && error.code === 'TOO_LARGE')) throw error
    throw fileTooLarge(actor.plan, error)
  }
}

/** The refusal (PAYLOAD_TOO_LARGE) of a file beyond the limit of a plan. */
export function fileTooLarge({ uploadMb, tierDisplay }: Plan, cause?: unknown): AppError {
  const message = `The file is larger than ${uploadMb} MB, the limit of the ${tierDisplay} plan.`
  return new AppError('PAYLOAD_TOO_LARGE', message, { cause })
}

/** Passes a stream on and records its first bytes. */
function collectHead(source: AsyncIterable<Uint8Array>): { body: AsyncIterable<Uint8Array>; bytes(): Uint8Array } {
  const parts: Uint8Array[] = []
  let missing = headLength
  async function* body(): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      if (missing > 0) parts.push(chunk.slice(0, missing))
      missing = Math.max(0, missing - chunk.byteLength)
      yield chunk
    }
  }
  return { body: body(), bytes: () => Buffer.concat(parts) }
}

/** A book of the caller whose file has this SHA-256; null if there is none. */
export async function findSameFile({ actor, books }: Call & BookStores, sha256: string): Promise<SameFile | null> {
  const book = await books.findDuplicateFile(actor.id, { sha256: sha256.toLowerCase(), excludeId: '' })
  return book && { id: book.id, title: book.title, language: book.language }
}

/** The bytes of an upload that the caller has reserved. */
export interface OwnUpload {
  itemId: string
  body: AsyncIterable<Uint8Array>
  /** Size in bytes; null if the request does not declare it. */
  contentLength: number | null
}

/**
 * Stores the file of a reservation of the caller, like the PUT to its signed URL, on disk and S3 alike. Returns the
 * book that has the same file, if any. Refuses with NOT_FOUND, FORBIDDEN (expired), CONFLICT (already received),
 * PAYLOAD_TOO_LARGE and INVALID_INPUT; then nothing is stored, and the file can be sent again.
 */
export async function receiveOwnUpload(
  ctx: Call & FileStores & UploadStores & BookStores,
  { itemId, body, contentLength }: OwnUpload,
): Promise<StoredFile & { sameFile: SameFile | null }> {
  const upload = await ctx.uploads.byItem(ctx.actor.id, itemId)
  if (!upload) throw new AppError('NOT_FOUND', 'This upload is no longer known. Add the file again.')
  const { storageKey, contentType, bytes: size, expiresAt, receivedAt } = upload
  if (receivedAt !== null) throw new AppError('CONFLICT', 'This file has arrived already.')
  if (ctx.now() >= expiresAt) throw new AppError('FORBIDDEN', 'This upload has waited too long. Add the file again.')
  try {
    const target = { key: storageKey, contentType, size }
    const stored = await storeUpload(ctx.files, target, { body, contentLength, signal: ctx.signal })
    await ctx.uploads.setReceived(storageKey, { at: ctx.now(), sha256: stored.sha256 })
    return { ...stored, sameFile: await findSameFile(ctx, stored.sha256) }
  } catch (error) {
    throw toUploadRefusal(error)
  }
}
