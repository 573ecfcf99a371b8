import { chargeReads } from '../accounts/charge-reads.ts'
import { recordReads } from '../research/record-reads.ts'
import { systemOwner } from '../books/book.ts'
import { mergeRanges, type PageRange } from '../text/page-ranges.ts'
import { cachedPageOf } from './cached-page.ts'
import { countWords } from './count-words.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { ReadStores } from '../accounts/read-meter.ts'
import type { SessionStores } from '../research/session-store.ts'
import type { ReadLogStores } from '../research/read-log-store.ts'

/** A book that a call has opened; `pages` is absent if only its outline was read. */
export interface OpenedBook {
  id: string
  title: string
  ownerId: string
  pageCount: number
  pages?: readonly { content: string; pageNum: number }[]
  /** The size of a text whose pages are not in memory. */
  extent?: { pages: number; words: number }
}

/**
 * Charges one read per opened book and records the reads for the value report. Call it last, when the answer is
 * complete.
 */
export async function chargeAndRecordReads(
  ctx: Call & ReadStores & PublicAddress & SessionStores & ReadLogStores,
  opened: readonly OpenedBook[],
  sessionId?: string,
): Promise<void> {
  const reads = opened.map(({ id, title, ownerId, pageCount, pages, extent }) => ({
    itemId: id,
    title,
    depth: pages || extent ? ('content' as const) : ('toc' as const),
    pages: extent?.pages ?? pages?.length ?? 0,
    words: extent?.words ?? sumWords(pages ?? []),
    ...(ownerId === systemOwner ? {} : { read: { ownerId, pageCount, ranges: rangesOf({ pages, extent }) } }),
  }))
  await chargeReads(ctx, opened.length)
  await recordReads(ctx, reads, sessionId)
}

function rangesOf({ pages = [], extent }: Pick<OpenedBook, 'pages' | 'extent'>): PageRange[] {
  if (extent) return [{ from: 1, to: extent.pages }]
  return mergeRanges(pages.map(({ pageNum }) => ({ from: pageNum, to: pageNum })))
}

function sumWords(pages: readonly { content: string }[]): number {
  return pages.reduce((sum, page) => sum + (cachedPageOf(page)?.words ?? countWords(page.content)), 0)
}
