import type { BookAccessStores } from '../../books/access.ts'
import { findOwnBook } from '../../books/find-book.ts'
import type { Call } from '../../core/context.ts'
import type { GetRecognition, RecognitionState } from './schema.ts'
import type { Recognition, RecognitionStores } from './recognition-store.ts'

/**
 * The progress of text recognition for one of the caller's books. Throws NOT_FOUND, and FORBIDDEN for another owner's
 * book.
 */
export async function getRecognition(
  ctx: Call & BookAccessStores & RecognitionStores,
  { itemId }: GetRecognition,
): Promise<RecognitionState> {
  const book = await findOwnBook(ctx, itemId, 'Only the owner may see how far the recognition of a book is')
  return presentRecognition(itemId, await ctx.recognitions.byItem(book.ownerId, itemId))
}

function presentRecognition(itemId: string, row: Recognition | null): RecognitionState {
  const { total = 0, done = 0, recognised = 0, skipped = 0 } = row ?? {}
  const status = row === null ? 'none' : ({ WAITING: 'waiting', RUNNING: 'running', DONE: 'done' } as const)[row.status]
  return {
    itemId,
    status,
    pages: total,
    pagesDone: done,
    pagesRecognised: recognised,
    pagesSkipped: skipped,
    updatedAt: row?.updatedAt.toISOString() ?? null,
  }
}
