import type { BookStores } from '../../books/store.ts'
import type { PictureServices } from './pictures.ts'

const batchSize = 200

/** Removes the pictures of deleted books (one may have been drawn during the deletion), then those beyond the limit. */
export async function cleanUpPictures({ pictures, books }: BookStores & PictureServices): Promise<void> {
  const { store } = pictures
  let batch: string[] = []
  const removeUnknown = async () => {
    const known = new Set((await books.byIds(batch)).map(({ id }) => id))
    for (const itemId of batch) if (!known.has(itemId)) await store.removeBook(itemId)
    batch = []
  }
  for await (const itemId of store.listBooks()) {
    batch.push(itemId)
    if (batch.length === batchSize) await removeUnknown()
  }
  if (batch.length > 0) await removeUnknown()
  await store.trim()
}
