import { upgradeUrl } from '../accounts/charge-reads.ts'
import type { AccessibleBook } from '../books/access.ts'
import { AppError } from '../core/errors.ts'
import { lastReadablePage } from './present-book.ts'
import type { PublicAddress } from '../core/context.ts'

/** What people are told of what lies beyond a preview. */
export function previewMessage(ctx: PublicAddress, book: AccessibleBook): string {
  const pages = lastReadablePage(book) === 1 ? 'page' : `${lastReadablePage(book)} pages`
  return `This is a preview: the first ${pages} of the current version. The rest needs a Pro plan: ${upgradeUrl(ctx)}`
}

/** The refusal of a page, or of an earlier version, of a book that the caller may only preview. */
export function previewOnlyError(ctx: PublicAddress, book: AccessibleBook): AppError {
  return new AppError('FORBIDDEN', previewMessage(ctx, book), { details: { upgradeUrl: upgradeUrl(ctx) } })
}
