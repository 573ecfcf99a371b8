import { upgradeUrl } from '../accounts/charge-reads.ts'
import type { AccessibleBook } from '../books/access.ts'
import { AppError } from '../core/errors.ts'
import { lastReadablePage } from './present-book.ts'
import type { PublicAddress } from '../core/context.ts'

/** The message for content beyond a preview. */
export function previewMessage(ctx: PublicAddress, book: AccessibleBook): string {
  const pages = lastReadablePage(book) === 1 ? 'page' : `${lastReadablePage(book)} pages`
  return `This is a preview: the first ${pages} of the current version. The rest needs a Pro plan: ${upgradeUrl(ctx)}`
}

/** The refusal (FORBIDDEN) of a page beyond the preview, or of an earlier version of a previewed book. */
export function previewOnlyError(ctx: PublicAddress, book: AccessibleBook): AppError {
  return new AppError('FORBIDDEN', previewMessage(ctx, book), { details: { upgradeUrl: upgradeUrl(ctx) } })
}
