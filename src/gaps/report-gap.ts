import { findAccessibleBooks, type AccessibleBook } from '../books/access.ts'
import { loadLockCheck } from '../books/book-locks.ts'
import { systemOwner } from '../books/book.ts'
import { redact } from './redact.ts'
import type { AcceptedReport, GapReport } from './schema.ts'
import { confirmReport } from './reconcile-gaps.ts'
import type { Gap, GapStores } from './store.ts'
import { topicKey } from './topic-key.ts'
import type { Call } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { BookStores } from '../books/store.ts'

/** Within this time, ms, a second report of a reader on the same topic counts as a duplicate. */
const duplicateWindowMs = 30 * 24 * 60 * 60 * 1000
/**
 * Maximum number of reports of a reader about one book, or to the librarians, within that time. Approximate under
 * concurrent calls.
 */
const maxReports = 100

/**
 * Files a report of what the caller looked for and did not find: to the author of `aboutItemId`, or without it to the
 * librarians. The response does not reveal whether the report was dropped or the book exists.
 */
export async function reportGap(
  ctx: Call & BookAccessStores & GapStores,
  { aboutItemId, ...report }: GapReport,
): Promise<AcceptedReport> {
  if (aboutItemId !== undefined) return reportBookGap(ctx, { ...report, itemId: aboutItemId })
  return fileReport(ctx, { ...report, itemId: null, ownerId: systemOwner, itemTitle: null })
}

/**
 * Files a report to the author of a book, or to the librarians for a built-in one. Drops reports of callers who cannot
 * read the whole book.
 */
export async function reportBookGap(
  ctx: Call & BookAccessStores & GapStores,
  { itemId, ...report }: Omit<GapReport, 'aboutItemId'> & { itemId: string },
): Promise<AcceptedReport> {
  const book = await findFullyReadableBook(ctx, itemId)
  if (!book) return { ok: true }
  return fileReport(ctx, { ...report, itemId, ownerId: book.ownerId, itemTitle: book.title })
}

async function findFullyReadableBook(ctx: Call & BookAccessStores, itemId: string): Promise<AccessibleBook | null> {
  const [book] = await findAccessibleBooks(ctx, [itemId])
  if (!book || book.access.previewPages !== null) return null
  const isLocked = await loadLockCheck(ctx)
  return isLocked(book) ? null : book
}

type AddressedReport = Omit<GapReport, 'aboutItemId'> & Pick<Gap, 'itemId' | 'ownerId' | 'itemTitle'>

/** Stores a redacted report, unless the reader has made the same one in the last 30 days. */
async function fileReport(
  ctx: Call & GapStores & BookStores,
  { itemId, ownerId, itemTitle, category, ...texts }: AddressedReport,
): Promise<AcceptedReport> {
  const at = ctx.now()
  const since = new Date(at.getTime() - duplicateWindowMs)
  const readerId = ctx.actor.id
  if ((await ctx.gaps.count(readerId, itemId, since)) >= maxReports) return { ok: true }
  const subcategory = redact(texts.subcategory)
  const suggestedTitle = redactNullable(texts.suggestedTitle)
  const topic = itemId === null ? topicKey(subcategory, suggestedTitle ?? '') : topicKey(subcategory)
  const gap: Gap = {
    id: ctx.newId(),
    itemId,
    ownerId,
    readerId,
    topic,
    subcategory,
    category,
    intent: redact(texts.intent),
    aboutSection: redactNullable(texts.aboutSection),
    suggestedTitle,
    suggestedAuthor: redactNullable(texts.suggestedAuthor),
    itemTitle,
    status: 'OPEN',
    fulfilment: null,
    reportedAt: at,
  }
  const id = await ctx.gaps.add(gap, since)
  if (id !== null) await confirmReport(ctx, { ...gap, id })
  return { ok: true }
}

function redactNullable(text: string | null | undefined): string | null {
  return text == null ? null : redact(text)
}
