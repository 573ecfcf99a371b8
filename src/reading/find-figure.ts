import { createHash } from 'node:crypto'
import type { BookAccessStores } from '../books/access.ts'
import { AppError } from '../core/errors.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import { findFigureMarkers } from '../text/figure-markers.ts'
import type { FigurePicture } from './figure-files.ts'
import { openVersion, type OpenedVersion } from './open-version.ts'
import { previewOnlyError } from './preview-only-error.ts'
import { loadPages } from './unfinished-manifest.ts'
import { MissingPageError, pageRefs, type ContentStores } from './store.ts'
import { counted } from '../text/counted.ts'

interface FigureRequest {
  id: string
  pageNum: number
  /** Default: the current version. */
  version?: number | undefined
  /** The id in the marker. */
  figure: string
}

/** A figure that the caller may see. */
export interface FoundFigure extends OpenedVersion {
  /** The text of the page that refers to it. */
  content: string
  caption: string
  /** An entity tag, which changes with the figure. */
  tag: string
  /** Loads the picture. Refuses a figure that is missing on this server with NOT_FOUND. */
  load(): Promise<FigurePicture>
}

/**
 * A figure that the text of a page refers to. Exactly those who may read the page may see it. Refuses like
 * `openVersion`, a page beyond a preview with FORBIDDEN, and a figure that the page does not refer to with NOT_FOUND.
 * Charges nothing.
 */
export async function findFigure(
  ctx: Call & BookAccessStores & ContentStores & PublicAddress,
  { id, pageNum, version, figure }: FigureRequest,
): Promise<FoundFigure> {
  const opened = await openVersion(ctx, id, version)
  const { book, manifest, lastPage } = opened
  const [ref] = pageRefs(manifest, pageNum, pageNum)
  if (!ref)
    throw new AppError('NOT_FOUND', `Page ${pageNum} not found: this book has ${counted(manifest.pageCount, 'page')}.`)
  if (pageNum > lastPage) throw previewOnlyError(ctx, book)
  const [page] = await loadPages(ctx, manifest, [ref]).catch(async (error: unknown) => {
    // The version may have been removed since it was looked up; then the second lookup refuses it.
    if (error instanceof MissingPageError) await openVersion(ctx, id, version)
    throw error
  })
  const { content = '' } = page ?? {}
  const marker = findFigureMarkers(content).find((found) => found.id === figure)
  const revision = manifest.figures?.revision
  if (!marker || revision === undefined) {
    const message = `Page ${pageNum} has no figure ${figure}. Read the page: its figures stand there as ![caption](figure:ID).`
    throw new AppError('NOT_FOUND', message)
  }
  const load = async () => {
    const picture = await ctx.contents.figures.find(id, revision, figure)
    if (picture) return picture
    ctx.log.error({ itemId: id, figure }, 'a figure of a book is missing')
    throw new AppError('NOT_FOUND', 'This figure is missing on this server. Tell its administrator.')
  }
  const tag = `"${createHash('sha256').update(`${id} ${figure}`).digest('base64url').slice(0, 22)}"`
  return { ...opened, content, caption: marker.caption, tag, load }
}
