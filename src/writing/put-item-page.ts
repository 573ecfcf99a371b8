import { AppError } from '../core/errors.ts'
import { counted } from '../text/counted.ts'
import { ensureTrailingNewline, requireSinglePage } from './join-text.ts'
import { loadPageTexts } from './load-page-texts.ts'
import type { PutItemPage, PutPage } from './schema.ts'
import { splicePages } from './splice-pages.ts'
import { writeVersion } from './write-version.ts'
import type { Call } from '../core/context.ts'
import type { WritingStores } from './stores.ts'

/**
 * Replaces one page of a Markdown book; the others stay as stored. Adds a missing line end if another page follows. A
 * page without a heading stays a separate page until the whole text is replaced.
 */
export async function putItemPage(ctx: Call & WritingStores, input: PutItemPage): Promise<PutPage> {
  const { id, pageNum, expectedVersion } = input
  const content = requireSinglePage(input.content, pageNum)
  const written = await writeVersion(ctx, {
    id,
    reason: 'page',
    expectedVersion,
    async draft(base) {
      if (pageNum > base.pageCount) {
        throw new AppError(
          'NOT_FOUND',
          `Page ${pageNum} not found: the book has ${counted(base.pageCount, 'page')}. To add pages, use append_item_pages.`,
        )
      }
      const page = pageNum < base.pageCount ? ensureTrailingNewline(content) : content
      const old = await loadPageTexts(ctx, base, { from: pageNum, to: pageNum })
      return old[0] === page ? null : splicePages(base, { from: pageNum - 1, old, pages: [page] })
    },
  })
  const { version, pageCount, updatedAt } = written
  return { id, pageNum, version, pageCount, updatedAt }
}
