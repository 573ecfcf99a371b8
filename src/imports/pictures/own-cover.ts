import { createHash } from 'node:crypto'
import { fileFolders } from '../../books/remove-book.ts'
import { AppError } from '../../core/errors.ts'
import type { Call } from '../../core/context.ts'
import type { BookStores } from '../../books/store.ts'
import { chunksOf } from '../../files/small-files.ts'
import type { FileStores } from '../../files/store.ts'
import { ExtractionError } from '../extract/extraction-error.ts'
import { sniffPicture } from '../formats/picture/sniff-picture.ts'
import type { PictureServices } from './pictures.ts'

/** Maximum size of an uploaded cover, bytes. */
export const maxCoverBytes = 20 * 1024 * 1024
/** Width of a stored cover, pixels; wider pictures are scaled down. */
const coverWidth = 640

/**
 * Sets the cover of one of the caller's books, which takes precedence over that of its file. A child process redraws
 * the picture, which removes its metadata. The same picture again changes nothing. Refuses with INVALID_INPUT a picture
 * that is too large, damaged, or neither PNG nor JPEG.
 */
export async function keepOwnCover(
  ctx: Call & BookStores & FileStores & PictureServices,
  { itemId, bytes }: { itemId: string; bytes: Uint8Array },
): Promise<void> {
  const [book] = await ctx.books.findOwned(ctx.actor.id, [itemId])
  if (!book) return
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  if (book.ownCover?.sha256 === sha256) return
  const picture = await redraw(ctx, { bytes, name: `cover ${sha256}` })
  const ending = picture.mediaType === 'image/png' ? 'png' : 'jpg'
  const storageKey = `${fileFolders.covers}/${itemId}/${sha256.slice(0, 32)}.${ending}`
  await ctx.files.put(storageKey, chunksOf(picture.bytes), {
    contentType: picture.mediaType,
    maxBytes: picture.bytes.length,
  })
  const ownCover = { storageKey, mediaType: picture.mediaType, sha256 }
  const isKept = await ctx.books.change(ctx.actor.id, itemId, { set: { ownCover } })
  const before = isKept ? book.ownCover?.storageKey : storageKey
  if (before !== undefined) await ctx.files.delete(before)
}

async function redraw(
  { pictures, actor, signal }: Call & PictureServices,
  { bytes, name }: { bytes: Uint8Array; name: string },
) {
  const header = sniffPicture(bytes)
  if (bytes.length > maxCoverBytes || !header || !['image/png', 'image/jpeg'].includes(header.mediaType))
    throw new AppError('INVALID_INPUT', 'The cover must be a PNG or JPEG of at most 20 MB.')
  const release = await pictures.places.take(actor.id, signal)
  if (!release) throw new AppError('RATE_LIMITED', 'Too many pictures at a time. Try again in a moment.')
  try {
    const file = { name, bytes: bytes.length, read: () => chunksOf(bytes) }
    const job = { file, accountId: actor.id, sourceType: 'picture' as const, page: 1, width: coverWidth }
    return await pictures.renderer.draw(job)
  } catch (error) {
    if (!(error instanceof ExtractionError)) throw error
    throw new AppError('INVALID_INPUT', 'The cover is damaged, or has more than 40 million pixels.', { cause: error })
  } finally {
    release()
  }
}
