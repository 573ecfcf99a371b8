import { upgradeUrl } from '../accounts/charge-reads.ts'
import type { AccessibleBook } from '../books/access.ts'
import { AppError } from '../core/errors.ts'
import { lastReadablePage } from './present-book.ts'
import type { PublicAddress } from '../core/context.ts'

/** The pages of a preview, after "the first": `page`, `2 pages`. */
export function firstPages(book: AccessibleBook): string {
  return lastReadablePage(book) === 1 ? 'page' : `${lastReadablePage(book)} pages`
}

/** The message for content beyond a preview. */
export function previewMessage(ctx: PublicAddress, book: AccessibleBook): string {
  return `This is a preview: the first ${firstPages(book)} of the current version. The rest needs a Pro plan: ${upgradeUrl(ctx)}`
}

/** The refusal (FORBIDDEN) of a page beyond the preview, or of an earlier version of a previewed book. */
export function previewOnlyError(ctx: PublicAddress, book: AccessibleBook): AppError {
  return new AppError('FORBIDDEN', previewMessage(ctx, book), { details: { upgradeUrl: upgradeUrl(ctx) } })
}
