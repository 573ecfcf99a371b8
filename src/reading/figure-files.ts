import { isFigureId } from '../text/figure-markers.ts'
import { fileFolders } from '../books/remove-book.ts'
import { FileStoreError, type FileStore } from '../files/store.ts'
import { chunksOf, readSmallFile } from '../files/small-files.ts'

/** The picture of a figure. */
export interface FigurePicture {
  mediaType: string
  bytes: Uint8Array
}

/** A stored figure. */
export interface StoredFigure {
  id: string
  key: string
  bytes: number
}

/** The figure files of books, stored under the same revision as the pages of the import that brought them. */
export interface FigureFiles {
  /** Stores a figure. Idempotent. */
  keep(itemId: string, revision: string, figure: FigurePicture & { id: string }): Promise<void>
  /** The figure with this id; null if it is not stored. */
  find(itemId: string, revision: string, id: string): Promise<FigurePicture | null>
  /** The figures of a revision, sorted by id. */
  list(itemId: string, revision: string): Promise<StoredFigure[]>
  /** Removes the figures of a revision except those with the ids in `except`. */
  discard(itemId: string, revision: string, except?: ReadonlySet<string>): Promise<void>
  /** Removes all figures of a book. */
  removeBook(itemId: string): Promise<void>
}

const extensions = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
])
const mediaTypes = new Map(Array.from(extensions, ([type, extension]) => [extension, type]))
/** The media types of figures. */
export const figureTypes: readonly string[] = [...extensions.keys()]

const folder = `${fileFolders.figures}/`
const maxBytes = 4 * 1024 * 1024

/** Keeps figures at `figures/{book}/{revision}/{id}.{kind}` in the file store. */
export function createFigureFiles(files: FileStore): FigureFiles {
  const list = async (itemId: string, revision: string): Promise<StoredFigure[]> => {
    const found: StoredFigure[] = []
    for await (const { key, bytes } of files.list(`${folder}${itemId}/${revision}/`))
      found.push({ id: idOf(key), key, bytes })
    return found
  }
  return {
    list,
    async keep(itemId, revision, { id, mediaType, bytes }) {
      const extension = extensions.get(mediaType)
      if (extension === undefined || !isFigureId(id)) throw new Error(`not a figure: ${id}, ${mediaType}`)
      const key = `${folder}${itemId}/${revision}/${id}.${extension}`
      try {
        await files.put(key, chunksOf(bytes), { contentType: mediaType, maxBytes })
      } catch (error) {
        if (!(error instanceof FileStoreError && error.code === 'EXISTS')) throw error
      }
    },
    async find(itemId, revision, id) {
      for await (const { key } of files.list(`${folder}${itemId}/${revision}/${id}.`)) {
        const mediaType = mediaTypes.get(key.split('.').at(-1) ?? '')
        const bytes = mediaType === undefined ? null : await readSmallFile(files, key)
        return bytes && mediaType !== undefined ? { mediaType, bytes } : null
      }
      return null
    },
    async discard(itemId, revision, except = new Set()) {
      for (const { id, key } of await list(itemId, revision)) if (!except.has(id)) await files.delete(key)
    },
    async removeBook(itemId) {
      for await (const { key } of files.list(`${folder}${itemId}/`)) await files.delete(key)
    },
  }
}

/** A null implementation, for tests with a store of text only. */
export const noFigureFiles: FigureFiles = {
  keep: () => Promise.reject(new Error('this store keeps no figures')),
  find: () => Promise.resolve(null),
  list: () => Promise.resolve([]),
  discard: () => Promise.resolve(),
  removeBook: () => Promise.resolve(),
}

/** The book and revision that a figure file belongs to. */
export function figureOwner(key: string): { itemId: string; revision: string } {
  const [, itemId = '', revision = ''] = key.split('/')
  return { itemId, revision }
}

function idOf(key: string): string {
  return key.split('/').at(-1)?.split('.')[0] ?? ''
}
