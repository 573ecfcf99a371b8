import { createHash } from 'node:crypto'
import { AppError } from '../../core/errors.ts'
import type { FileAnswer } from '../../core/file-answer.ts'
import type { Call } from '../../core/context.ts'
import { writeMarkdown } from './write-markdown.ts'
import type { ExportItem } from '../item-file-schema.ts'
import { chargeWholeBook, openInFull } from '../open-in-full.ts'
import { takeAnswerSlot } from '../stream-content.ts'
import type { ReadingStores } from '../stores.ts'

const formats = {
  markdown: { loadWriter: async () => writeMarkdown, contentType: 'text/markdown; charset=utf-8', extension: '.md' },
  epub: {
    // Loaded with the first EPUB, because a server starts faster without its packages.
    loadWriter: async () => (await import('./write-epub.ts')).writeEpub,
    contentType: 'application/epub+zip',
    extension: '.epub',
  },
} as const

/** Increment it if equal versions of a book yield other files than before. */
const writerVersion = 2

/**
 * The current text of a book that the caller may read in full, as Markdown or EPUB 3. Costs one read when its bytes are
 * sent. Refuses like `openInFull`, and a book without text with CONFLICT.
 */
export async function exportItem(ctx: Call & ReadingStores, { itemId, format }: ExportItem): Promise<FileAnswer> {
  const book = await openInFull(ctx, itemId)
  const manifest = book.version > 0 ? await ctx.contents.getManifest(book.id, book.version) : null
  if (!manifest) {
    throw new AppError(
      'CONFLICT',
      'This book has no text yet: its import is not finished, or it failed. Try again later.',
    )
  }
  const { loadWriter, contentType, extension } = formats[format]
  const state = `${writerVersion} ${format} ${book.id} ${book.version} ${book.tocId} ${book.updatedAt.toISOString()}`
  return {
    contentType,
    filename: `${book.title}${extension}`,
    size: null,
    etag: createHash('sha256').update(state).digest('base64url').slice(0, 27),
    async open() {
      const write = await loadWriter()
      const release = await takeAnswerSlot(ctx, manifest.bytes)
      try {
        await chargeWholeBook(ctx, book, { words: manifest.words, isFirstPart: true })
      } catch (error) {
        release()
        throw error
      }
      const pieces = write(ctx, book, manifest)
      return {
        pieces,
        close(reason) {
          release()
          pieces.return(undefined).catch(() => {})
          if (reason !== undefined && !ctx.signal.aborted) ctx.log.error({ err: reason }, 'an export was aborted')
        },
      }
    },
  }
}
