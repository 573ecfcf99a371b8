import type { Readable } from 'node:stream'
import { FormatError } from '../formats/format.ts'
import type { EncodedPicture } from '../formats/picture/encode-picture.ts'
import { maxPictureBytes } from './limits.ts'
import type { ReaderCommand, ReaderMessage } from './messages.ts'
import { receiveFile, toFailedMessage } from './read-book.ts'

type Command<Type extends ReaderCommand['type']> = Extract<ReaderCommand, { type: Type }>
type Send = (message: ReaderMessage) => Promise<void>

/** A file that pictures are drawn of. */
interface DrawableFile {
  draw(page: number, width: number): Promise<EncodedPicture>
  close(): void
}

let file: DrawableFile | null = null

/** Opens the file that comes over `channel` instead of the one before; answers `opened` or `failed`. */
export async function openFile(command: Command<'open'>, channel: Readable, send: Send): Promise<void> {
  try {
    file?.close()
    file = null
    const bytes = await receiveFile(channel, command.bytes)
    file = await (command.sourceType === 'pdf' ? openPdf(bytes) : openEpub(bytes, command))
    await send({ type: 'opened' })
  } catch (error) {
    await send(toFailedMessage(error))
  }
}

/** Draws a page of the open file; answers `picture` or `failed`. */
export async function drawPage({ page, width }: Command<'draw'>, send: Send): Promise<void> {
  try {
    if (file === null) throw new Error('no file is open')
    const { bytes } = await file.draw(page, width)
    if (bytes.length > maxPictureBytes) throw new FormatError('TOO_LARGE', `a picture of ${bytes.length} bytes`)
    await send({ type: 'picture', data: Buffer.from(bytes).toString('base64') })
  } catch (error) {
    await send(toFailedMessage(error))
  }
}

async function openPdf(bytes: Uint8Array): Promise<DrawableFile> {
  const [{ openDrawablePdf }, { encodePicture }] = await Promise.all([
    import('../formats/pdf/draw-pages.ts'),
    import('../formats/picture/encode-picture.ts'),
  ])
  const pdf = await openDrawablePdf(bytes)
  return { draw: async (page, width) => encodePicture(await pdf.draw(page, width)), close: () => pdf.close() }
}

async function openEpub(bytes: Uint8Array, { limits }: Command<'open'>): Promise<DrawableFile> {
  const { openCover } = await import('../formats/epub/open-cover.ts')
  const cover = await openCover(bytes, limits)
  return { draw: (_, width) => cover.draw(width), close: () => undefined }
}
