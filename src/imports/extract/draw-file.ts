import type { Readable } from 'node:stream'
import type { Cover } from '../formats/cover/open-cover.ts'
import { FormatError } from '../formats/format.ts'
import type { EncodedPicture } from '../formats/picture/encode-picture.ts'
import type { Pixels } from '../formats/picture/encode-jpeg.ts'
import type { CollagePart } from '../formats/picture/isolated-ink.ts'
import type { GreyPicture } from '../formats/picture/grey-picture.ts'
import type { QuarterTurn } from '../formats/picture/prepare-scan.ts'
import { dropWritePermission } from './drop-write-permission.ts'
import { maxPictureBytes } from './limits.ts'
import type { ReaderCommand, ReaderMessage } from './messages.ts'
import { receiveFile, toFailedMessage } from './read-book.ts'

type Command<Type extends ReaderCommand['type']> = Extract<ReaderCommand, { type: Type }>
type Send = (message: ReaderMessage) => Promise<void>

/** A file whose pages can be drawn. */
interface DrawableFile {
  draw(page: number, width: number): Promise<EncodedPicture>
  /** Draws a page for text recognition. Throws `BROKEN` for a file without readable pages. */
  scan(page: number, turn: QuarterTurn): Promise<GreyPicture>
  close(): void
}

let file: DrawableFile | null = null
/** The last scanned page, because `scanRemainingInk` and `scanIsolatedInk` often follow for the same page. */
let scanned: { page: number; turn: QuarterTurn; picture: GreyPicture } | null = null

/** Opens the file that arrives over `channel`, in place of the previous one; answers `opened` or `failed`. */
export async function openFile(command: Command<'open'>, channel: Readable, send: Send): Promise<void> {
  try {
    file?.close()
    file = null
    scanned = null
    const [bytes] = await Promise.all([receiveFile(channel, command.bytes), loadDrawing()])
    dropWritePermission()
    file = await openers[command.sourceType](bytes, command)
    await send({ type: 'opened' })
  } catch (error) {
    await send(toFailedMessage(error))
  }
}

const openers: Record<
  Command<'open'>['sourceType'],
  (bytes: Uint8Array, command: Command<'open'>) => Promise<DrawableFile>
> = { pdf: openPdf, epub: openEpub, comic: openComic, picture: openPicture }

/** Draws a page of the open file; answers `picture` or `failed`. */
export function drawPage({ page, width }: Command<'draw'>, send: Send): Promise<void> {
  return sendPicture(send, async (drawable) => (await drawable.draw(page, width)).bytes)
}

/** Draws a page of the open file for text recognition; answers `picture` or `failed`. */
export function scanPage({ page, turn }: Command<'scan'>, send: Send): Promise<void> {
  return sendPicture(send, async (drawable) => encodeScan(await scanOnce(drawable, page, turn)))
}

/**
 * Draws the parts of a page in which no words were recognised; answers `picture` (without bytes if there are none) or
 * `failed`.
 */
export function scanRemainingInk({ page, turn, read }: Command<'scanRemaining'>, send: Send): Promise<void> {
  return sendPicture(send, async (drawable) => {
    const { remainingInk } = await import('../formats/picture/remaining-ink.ts')
    const remaining = remainingInk(await scanOnce(drawable, page, turn), read)
    return remaining === null ? new Uint8Array() : encodeScan(remaining)
  })
}

/**
 * Draws a collage of what may be isolated numbers on a page; answers `picture` with its `parts` (without bytes if there
 * are none) or `failed`.
 */
export async function scanIsolatedInk({ page, turn, read }: Command<'scanIsolated'>, send: Send): Promise<void> {
  let parts: CollagePart[] = []
  await sendPicture(
    (message) => send(message.type === 'picture' ? { ...message, parts } : message),
    async (drawable) => {
      const { collectIsolated } = await import('../formats/picture/isolated-ink.ts')
      const collage = collectIsolated(await scanOnce(drawable, page, turn), read)
      parts = collage?.parts ?? []
      return collage ? encodeScan(collage.picture) : new Uint8Array()
    },
  )
}

async function encodeScan(picture: GreyPicture): Promise<Uint8Array> {
  const [{ toSixteenLevels }, { encodeGreyPng }] = await Promise.all([
    import('../formats/picture/prepare-scan.ts'),
    import('../formats/picture/encode-png.ts'),
  ])
  return encodeGreyPng(toSixteenLevels(picture))
}

async function scanOnce(drawable: DrawableFile, page: number, turn: QuarterTurn): Promise<GreyPicture> {
  if (scanned?.page === page && scanned.turn === turn) return scanned.picture
  scanned = null
  const picture = await drawable.scan(page, turn)
  scanned = { page, turn, picture }
  return picture
}

async function sendPicture(send: Send, make: (drawable: DrawableFile) => Promise<Uint8Array>): Promise<void> {
  try {
    if (file === null) throw new Error('no file is open')
    const bytes = await make(file)
    if (bytes.length > maxPictureBytes) throw new FormatError('TOO_LARGE', `a picture of ${bytes.length} bytes`)
    await send({ type: 'picture', data: Buffer.from(bytes).toString('base64'), parts: [] })
  } catch (error) {
    await send(toFailedMessage(error))
  }
}

/** Loads the drawing code. */
export async function loadDrawing(): Promise<void> {
  await Promise.all([
    import('../formats/pdf/draw-pages.ts'),
    import('../formats/picture/encode-picture.ts'),
    import('../formats/cover/open-cover.ts'),
    import('../formats/picture/prepare-scan.ts'),
    import('../formats/picture/remaining-ink.ts'),
    import('../formats/picture/isolated-ink.ts'),
    import('../formats/picture/encode-png.ts'),
  ])
}

async function openPdf(bytes: Uint8Array): Promise<DrawableFile> {
  const [{ openDrawablePdf }, { encodePicture }] = await Promise.all([
    import('../formats/pdf/draw-pages.ts'),
    import('../formats/picture/encode-picture.ts'),
  ])
  const pdf = await openDrawablePdf(bytes)
  return {
    draw: async (page, width) => encodePicture(await pdf.draw(page, width)),
    scan: async (page, turn) => toScan(await pdf.draw(page, scanWidth(pdf.size(page))), turn),
    close: () => pdf.close(),
  }
}

async function openEpub(bytes: Uint8Array, { limits }: Command<'open'>): Promise<DrawableFile> {
  const { openCover } = await import('../formats/cover/open-cover.ts')
  return drawableOf(await openCover(bytes, limits))
}

async function openComic(bytes: Uint8Array, { limits }: Command<'open'>): Promise<DrawableFile> {
  const [{ openZip }, { readComicPage }, { decodePicture, openPictureFile }] = await Promise.all([
    import('../formats/zip/open-zip.ts'),
    import('../formats/comic/comic-pages.ts'),
    import('../formats/cover/open-cover.ts'),
  ])
  const archive = openZip(bytes, limits)
  return {
    draw: async (page, width) => openPictureFile(await readComicPage(archive, page)).draw(width),
    scan: async (page, turn) => toScan(await decodePicture(await readComicPage(archive, page), scanSides), turn),
    close: () => undefined,
  }
}

/** Prepares a drawn page for text recognition. */
async function toScan(page: Pixels, turn: QuarterTurn): Promise<GreyPicture> {
  const { prepareScan } = await import('../formats/picture/prepare-scan.ts')
  return prepareScan(page, turn)
}

async function openPicture(bytes: Uint8Array): Promise<DrawableFile> {
  const { openPictureFile } = await import('../formats/cover/open-cover.ts')
  return drawableOf(openPictureFile(bytes))
}

function drawableOf(cover: Cover): DrawableFile {
  return {
    draw: (_, width) => cover.draw(width),
    scan: () => Promise.reject(new FormatError('BROKEN', 'a picture has no pages to scan')),
    close: () => undefined,
  }
}

/** The best resolution for text recognition, pixels per inch. */
const scanResolution = 300
/** Limits of the longer side, pixels: small letters need the lower bound; memory and time need the upper one. */
const scanSides = { min: 2000, max: 3600 }

function scanWidth({ width, height }: { width: number; height: number }): number {
  const longer = Math.max(width, height)
  const side = Math.min(scanSides.max, Math.max(scanSides.min, (longer * scanResolution) / 72))
  return Math.max(1, Math.round((width * side) / longer))
}
