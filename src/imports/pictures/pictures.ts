import { cpus } from 'node:os'
import { AppError } from '../../core/errors.ts'
import { detached } from '../../core/cancellation.ts'
import type { Call } from '../../core/context.ts'
import { FileStoreError, type FileStore, type FileStores } from '../../files/store.ts'
import { createSlots, type Slots } from '../../runtime/slots.ts'
import { createDrawer } from '../extract/create-drawer.ts'
import type { Drawer, DrawerOptions } from '../extract/drawer.ts'
import { ExtractionError, type ExtractionErrorCode } from '../extract/extraction-error.ts'
import type { DrawnType } from '../extract/messages.ts'
import { createPictureStore, type Picture, type PictureName, type PictureStore } from './picture-store.ts'

/** Pictures drawn at a time: of an account, and of all together, so that imports and requests keep their share. One account never has all places. */
const accountPlaces = 1
const processPlaces = Math.max(2, Math.min(4, Math.floor(cpus().length / 2)))
/** A list shows 60 covers. */
const maxWaiting = 64
const maxWaitMs = 10_000

/** The pictures of this process: what is kept, what is being drawn, and who waits. */
export interface Pictures {
  store: PictureStore
  drawer: Drawer
  places: Slots
  /** Pictures that are being drawn, by name; each is drawn once. */
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
  /** Bytes that all kept pictures may take. */
  maxBytes: number
  drawing?: DrawerOptions
}

/** Creates the pictures of a process. Starts nothing before the first one is drawn. */
export function createPictures({ files, now, maxBytes, drawing }: PicturesOptions): Pictures {
  const drawer = createDrawer(drawing)
  return {
    store: createPictureStore({ files, now, maxBytes }),
    drawer,
    places: createSlots({
      perKey: accountPlaces,
      total: processPlaces,
      maxWaitingPerKey: maxWaiting,
      maxWaitMs,
    }),
    running: new Map(),
    close: () => drawer.close(),
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

/** What a person reads instead of a picture that cannot be drawn. */
export const noPictureMessage = 'This page cannot be shown as a picture.'

/** What a person reads instead of a picture of a file that needs a password. */
const lockedMessage = `${noPictureMessage} The file needs a password, which was not kept after the import; its figures stand in its text.`

function noPictureError(code: ExtractionErrorCode): AppError {
  return new AppError('NOT_FOUND', code === 'ENCRYPTED' ? lockedMessage : noPictureMessage)
}

/**
 * A picture, from those that are kept or drawn now. Refuses one that cannot be drawn with NOT_FOUND, and more pictures at a time than an account
 * may wait for with RATE_LIMITED.
 */
export async function loadPicture(ctx: Call & FileStores & PictureServices, source: PictureSource): Promise<Picture> {
  const { pictures, actor, signal } = ctx
  const kept = await pictures.store.find(source)
  if (kept) return kept
  requireDrawable(pictures, source)
  const release = await pictures.places.take(actor.id, signal)
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

/** Shares one drawing between those who ask for the same picture; the drawing goes on when they leave. */
function drawOnce(ctx: Call & FileStores & PictureServices, source: PictureSource): Promise<Picture> {
  const { running } = ctx.pictures
  const key = JSON.stringify([source.storageKey, source.page, source.width])
  const found = running.get(key)
  if (found) return found
  const drawing = detached(drawAndKeep)(ctx, source).finally(() => running.delete(key))
  running.set(key, drawing)
  return drawing
}

async function drawAndKeep(
  { pictures, files, log }: Call & FileStores & PictureServices,
  source: PictureSource,
): Promise<Picture> {
  const { store, drawer } = pictures
  // Whoever stood in line before may have had the same picture drawn.
  const kept = await store.find(source)
  if (kept) return kept
  requireDrawable(pictures, source)
  const { storageKey, ownerId, sourceType, page, width, fileBytes } = source
  try {
    const file = { name: storageKey, bytes: fileBytes, read: () => files.read(storageKey) }
    const { mediaType, bytes } = await drawer.draw({ file, accountId: ownerId, sourceType, page, width })
    await store.keep(source, { mediaType, bytes })
    return { mediaType, bytes }
  } catch (error) {
    const isMissing = error instanceof FileStoreError && error.code === 'NOT_FOUND'
    if (!(error instanceof ExtractionError) && !isMissing) throw error
    const code = error instanceof ExtractionError ? error.code : 'CRASHED'
    store.rememberFailure(source, code)
    log.warn({ err: error, itemId: source.itemId, page }, 'a page could not be drawn')
    throw noPictureError(code)
  }
}

/** Refuses a picture that could not be drawn a few minutes ago: a file that takes all its time gets it once. */
function requireDrawable({ store }: Pictures, source: PictureSource): void {
  const failure = store.failureOf(source)
  if (failure !== null) throw noPictureError(failure)
}
