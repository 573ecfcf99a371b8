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

/** How long a reader's second report on the same topic is the same one. */
const duplicateWindowMs = 30 * 24 * 60 * 60 * 1000
/** About how much one reader may ask about one book, or of the keepers, in that time. */
const maxReports = 100

/**
 * Files a report of what the caller looked for and did not find: with the author of the book that it is about, else with
 * the keepers of the library. That it was dropped, or that there is no such book, is not told.
 */
export async function reportGap(
  ctx: Call & BookAccessStores & GapStores,
  { aboutItemId, ...report }: GapReport,
): Promise<AcceptedReport> {
  if (aboutItemId !== undefined) return reportBookGap(ctx, { ...report, itemId: aboutItemId })
  return fileReport(ctx, { ...report, itemId: null, ownerId: systemOwner, itemTitle: null })
}

/**
 * Files a report with the author of a book, or with the keepers of the library when it is a built-in one. Only those who
 * can read all of it are heard, its author among them.
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

/** Keeps a report, without what is personal or secret in it, unless the reader has made it in the last 30 days. */
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
