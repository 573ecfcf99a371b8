import { AppError } from '../../../core/errors.ts'
import type { SignedInVisit } from '../../visit.ts'

/** Refuses with NOT_FOUND for other accounts than administrators, as for a page that does not exist. */
export function requireAdministrator({ ctx, url }: Pick<SignedInVisit, 'ctx' | 'url'>): void {
  if (!ctx.actor.account.admin) throw new AppError('NOT_FOUND', `No page found at ${url.pathname}.`)
}
