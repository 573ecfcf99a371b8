import type { Call } from '../../core/context.ts'
import { findFigureMarkers } from '../../text/figure-markers.ts'
import type { Manifest } from '../manifest.ts'
import type { ContentStores } from '../store.ts'
import { loadPages, type TextStreamServices } from '../stream-content.ts'
import type { FigureFile } from './epub-documents.ts'

/** A figure of an exported book. */
export interface FigureEntry extends FigureFile {
  id: string
  /** Its storage key. */
  key: string
}

const mediaTypes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    png: 'image/png',
    jpg: 'image/jpeg',
    gif: 'image/gif',
    webp: 'image/webp',
  }),
)

/**
 * The stored figures that the text of a version refers to. Pictures that are no longer in the text are not exported.
 */
export async function findFigureEntries(
  ctx: Call & ContentStores & TextStreamServices,
  manifest: Manifest,
): Promise<FigureEntry[]> {
  const { itemId, figures, pageCount } = manifest
  if (!figures) return []
  const shown = new Set<string>()
  for await (const { content } of loadPages(ctx, manifest, { firstPage: 1, lastPage: pageCount }))
    for (const { id } of findFigureMarkers(content)) shown.add(id)
  const stored = await ctx.contents.figures.list(itemId, figures.revision)
  return stored.flatMap(({ id, key }) => {
    const extension = key.split('.').at(-1) ?? ''
    const mediaType = mediaTypes.get(extension)
    if (mediaType === undefined || !shown.has(id)) return []
    return [{ id, key, mediaType, file: `figures/${id}.${extension}` }]
  })
}
