import { cpus } from 'node:os'
import { AppError } from '../../core/errors.ts'
import { detached } from '../../core/cancellation.ts'
import type { Call } from '../../core/context.ts'
import { FileStoreError, type FileStore, type FileStores } from '../../files/store.ts'
import { createSlots, type Slots } from '../../runtime/slots.ts'
import { createPageRenderer } from '../extract/create-page-renderer.ts'
import type { PageRenderer, PageRendererOptions } from '../extract/page-renderer.ts'
import { ExtractionError, type ExtractionErrorCode } from '../extract/extraction-error.ts'
import type { DrawnType } from '../extract/messages.ts'
import { createPictureStore, type Picture, type PictureName, type PictureStore } from './picture-store.ts'

/**
 * Maximum number of pictures drawn concurrently per account and in total, so that imports and requests keep their
 * share. One account can never take all places.
 */
const accountPlaces = 1
const processPlaces = Math.max(2, Math.min(4, Math.floor(cpus().length / 2)))
/** Maximum number of queued pictures per account; a list shows 60 covers. */
const maxWaiting = 64
/** Longer than a drawing may take. */
const maxWaitMs = 25_000
/** The account that those share for a while whose files exhaust the limits of a drawing: together, they take one place. */
const slowKey = 'owners of slow files'

/** The pictures of this process: the cache, running drawings, and the queue. */
export interface Pictures {
  store: PictureStore
  renderer: PageRenderer
  places: Slots
  /** Running drawings by name; each picture is drawn once. */
  running: Map<string, Promise<Picture>>
  /** Ends the drawing processes. */
  close(): Promise<void>
}

export interface PictureServices {
  pictures: Pictures
}

interface PicturesOptions {
  files: FileStore
  now: () => Date
  /** Maximum size of all cached pictures, bytes. */
  maxBytes: number
  drawing?: PageRendererOptions
}

/** Creates the pictures of a process. Starts no process before the first drawing. */
export function createPictures({ files, now, maxBytes, drawing }: PicturesOptions): Pictures {
  const renderer = createPageRenderer(drawing)
  return {
    store: createPictureStore({ files, now, maxBytes }),
    renderer,
    places: createSlots({
      perKey: accountPlaces,
      total: processPlaces,
      maxWaitingPerKey: maxWaiting,
      maxWaitMs,
    }),
    running: new Map(),
    close: () => renderer.close(),
  }
}

/** What to draw. */
export interface PictureSource extends PictureName {
  /** The owner of the file. */
  ownerId: string
  /** Bytes of the file. */
  fileBytes: number
  sourceType: DrawnType
}

/** The message in place of a picture that cannot be drawn. */
export const noPictureMessage = 'This page cannot be shown as a picture.'

/** The message in place of a picture from a file that needs a password. */
const lockedMessage = `${noPictureMessage} The file needs a password, which was not kept after the import; its figures stand in its text.`

function noPictureError(code: ExtractionErrorCode): AppError {
  return new AppError('NOT_FOUND', code === 'ENCRYPTED' ? lockedMessage : noPictureMessage)
}

/**
 * Returns a picture from the cache or draws it. Refuses one that cannot be drawn with NOT_FOUND, and too many queued
 * pictures of an account with RATE_LIMITED.
 */
export async function loadPicture(ctx: Call & FileStores & PictureServices, source: PictureSource): Promise<Picture> {
  const { pictures, actor, signal } = ctx
  const kept = await pictures.store.find(source)
  if (kept) return kept
  requireDrawable(pictures, source)
  const release = await takePlace(pictures, { callerId: actor.id, ownerId: source.ownerId, signal })
  if (!release) {
    throw new AppError('RATE_LIMITED', 'Too many pictures at a time. Wait a moment, then load the page again.', {
      retryAfterSeconds: 2,
    })
  }
  try {
    return await drawOnce(ctx, source)
  } finally {
    release()
  }
}

interface PlaceRequest {
  callerId: string
  /** The owner of the file. */
  ownerId: string
  signal: AbortSignal
}

async function takePlace(
  { places, store }: Pictures,
  { callerId, ownerId, signal }: PlaceRequest,
): Promise<(() => void) | null> {
  if (store.isSlow(ownerId)) return places.take(slowKey, signal)
  const release = await places.take(callerId, signal)
  // A page of the owner may have taken too long while this call waited.
  if (!release || !store.isSlow(ownerId)) return release
  release()
  return places.take(slowKey, signal)
}

/** Shares one drawing among all requests for the same picture; the drawing continues if they disconnect. */
function drawOnce(ctx: Call & FileStores & PictureServices, source: PictureSource): Promise<Picture> {
  const { running } = ctx.pictures
  const key = JSON.stringify([source.storageKey, source.page, source.width])
  const found = running.get(key)
  if (found) return found
  const drawing = detached(drawAndStore)(ctx, source).finally(() => running.delete(key))
  running.set(key, drawing)
  return drawing
}

async function drawAndStore(
  { pictures, files, log }: Call & FileStores & PictureServices,
  source: PictureSource,
): Promise<Picture> {
  const { store, renderer } = pictures
  // A request that was queued before may have drawn the same picture.
  const kept = await store.find(source)
  if (kept) return kept
  requireDrawable(pictures, source)
  const { storageKey, ownerId, sourceType, page, width, fileBytes } = source
  try {
    const file = { name: storageKey, bytes: fileBytes, read: () => files.read(storageKey) }
    const { mediaType, bytes } = await renderer.draw({ file, accountId: ownerId, sourceType, page, width })
    await store.keep(source, { mediaType, bytes })
    return { mediaType, bytes }
  } catch (error) {
    const isMissing = error instanceof FileStoreError && error.code === 'NOT_FOUND'
    if (!(error instanceof ExtractionError) && !isMissing) throw error
    const code = error instanceof ExtractionError ? error.code : 'CRASHED'
    store.rememberFailure(source, code)
    if (code === 'TIMED_OUT' || code === 'OUT_OF_MEMORY') store.rememberSlow(ownerId)
    log.warn({ err: error, itemId: source.itemId, page }, 'a page could not be drawn')
    throw noPictureError(code)
  }
}

/** Refuses a picture that failed a few minutes ago, so that a file that exhausts its time limit does so only once. */
function requireDrawable({ store }: Pictures, source: PictureSource): void {
  const failure = store.failureOf(source)
  if (failure !== null) throw noPictureError(failure)
}
