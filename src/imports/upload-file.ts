import { requireStorage } from '../books/storage-limit.ts'
import { libraryFull } from '../books/with-slot.ts'
import { AppError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { Slots } from '../runtime/slots.ts'
import { confirmUpload } from './confirm-upload.ts'
import { discardRefused } from './discard-draft.ts'
import { libraryRoom } from './library-room.ts'
import { fileTooLarge, receiveFile, type ArrivedFile } from './receive-file.ts'
import { queueJob } from './queue-job.ts'
import { requireQueueCapacity } from './require-queue-capacity.ts'
import type { ConfirmedUpload, UploadFile } from './schema.ts'
import { requireBookName, startUpload } from './start-upload.ts'

/** Maximum number of concurrently arriving files per account (one request each); further ones are queued. */
const arrivingFiles = 4

export const arrivalLimits = { perKey: arrivingFiles, total: Infinity, maxWaitingPerKey: 16, maxWaitMs: 10_000 }

export interface ArrivalServices {
  /** Concurrency slots, by account, for files that arrive before a book is reserved for them. */
  arrivals: Slots
}

type UploadServices = Parameters<typeof startUpload>[0] & Parameters<typeof confirmUpload>[0] & ArrivalServices

/**
 * Adds a file that arrives in one request: receives it, reserves a book and confirms it. Checks name, length and plan
 * before it reads the body. Refuses like `startUpload`, `receiveFile` and `confirmUpload`; then nothing is kept. With
 * an Idempotency-Key, a repeat returns the book of the first call.
 */
export async function uploadFile(
  ctx: UploadServices,
  { filename, file, password, replacesItemId }: UploadFile,
): Promise<ConfirmedUpload> {
  const earlier = await findConfirmed(ctx, password)
  if (earlier) return earlier
  await requireRoomFor(ctx, { filename, size: file.contentLength })
  const release = await takePlace(ctx)
  let arrived: ArrivedFile | null = null
  try {
    arrived = await receiveFile(ctx, { filename, body: file.body })
    // The first call may have ended in the meantime.
    return (
      (await findConfirmed(ctx, password)) ?? (await addArrived(ctx, arrived, { filename, password, replacesItemId }))
    )
  } finally {
    release()
    await arrived?.discard()
  }
}

/** Refuses a file that cannot be added, based on what is known before it arrives. */
async function requireRoomFor(ctx: UploadServices, { filename, size }: { filename: string; size: number | null }) {
  if ((size ?? 0) > ctx.actor.plan.uploadMb * 1024 * 1024) throw fileTooLarge(ctx.actor.plan)
  requireBookName(filename)
  if (size === 0) throw new AppError('INVALID_INPUT', 'The file is empty. Send it as the body of the request.')
  await requireQueueCapacity(ctx)
  if ((await libraryRoom(ctx)).booksLeft === 0) throw await libraryFull(ctx)
  await requireStorage(ctx, size ?? 0)
}

async function takePlace(ctx: UploadServices): Promise<() => void> {
  const release = await ctx.arrivals.take(ctx.actor.id, ctx.signal)
  if (release) return release
  const message = `${arrivingFiles} of your files are arriving. Retry when one of them has arrived.`
  throw new AppError('RATE_LIMITED', message, { retryAfterSeconds: arrivalLimits.maxWaitMs / 1000 })
}

/** Reserves a book for a file that has arrived and confirms it; releases the book if that is refused. */
async function addArrived(
  ctx: UploadServices,
  arrived: ArrivedFile,
  { filename, ...rest }: Omit<UploadFile, 'file'>,
): Promise<ConfirmedUpload> {
  const { contentType, bytes: size } = arrived
  const { itemId, storageKey } = await startUpload(ctx, { filename, size, contentType })
  try {
    await arrived.store(storageKey)
    // With an Idempotency-Key, `newId` gives the id of the book.
    const confirming = { ...ctx, newId: () => newId(ctx.now()) }
    return await confirmUpload(confirming, { itemId, storageKey, ...rest })
  } catch (error) {
    await discardRefused(ctx, itemId, error)
    throw error
  }
}

/**
 * The book that an earlier call with the same Idempotency-Key has added, with its job, which it queues if needed; null
 * if there is none.
 */
async function findConfirmed(ctx: UploadServices, password: string | undefined): Promise<ConfirmedUpload | null> {
  if (ctx.idempotencyKey === null) return null
  const accountId = ctx.actor.id
  const [book] = await ctx.books.findOwned(accountId, [ctx.newId()])
  if (!book?.jobId) return null
  const known = await ctx.jobs.byId(accountId, book.jobId)
  const { id, status, type } = known ?? (await queueJob(ctx, book, { id: book.jobId, type: 'import', password }))
  return { item: { id: book.id, title: book.title }, job: { id, status, type }, replacedItemId: null }
}
