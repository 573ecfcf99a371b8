import type { BookStores } from '../../books/store.ts'
import { assessHealth } from '../assess-health.ts'
import { confirmationHealth } from '../build-imported-book.ts'
import type { OcrOutlook } from '../ocr-service.ts'
import type { Recognition } from './recognition-store.ts'

/** The states that recognition may change; other states are not about the text. */
const aboutText: ReadonlySet<string> = new Set(['ok', 'partial', 'empty', 'unreadable'])

/** Updates the health of a book after text recognition. Idempotent. */
export async function updateHealth(
  { books }: BookStores,
  { accountId, itemId, counts }: Pick<Recognition, 'accountId' | 'itemId' | 'counts'>,
  ocr: OcrOutlook,
): Promise<void> {
  const [book] = await books.findOwned(accountId, [itemId])
  if (!book || !aboutText.has(book.health)) return
  const sha256 = book.original?.sha256
  const duplicate = sha256 ? await books.findDuplicateFile(accountId, { sha256, excludeId: itemId }) : null
  const confirmed = book.metadataConfirmedAt !== null || book.enrichedAt !== null
  const set = confirmationHealth(assessHealth({ counts, ocr }), { title: book.title, confirmed, duplicate })
  if (set.health === book.health && set.healthReason === book.healthReason) return
  await books.change(accountId, itemId, { set, version: book.version })
}
