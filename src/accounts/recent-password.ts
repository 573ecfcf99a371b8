import type { Call, PublicAddress } from '../core/context.ts'
import { AppError } from '../core/errors.ts'

/** How long a checked password of a session counts as recent, ms. */
export const recentPasswordMs = 15 * 60 * 1000

/** False for a session whose password was checked too long ago; true for any other caller. */
export function hasRecentPassword({ actor, now }: Pick<Call, 'actor' | 'now'>): boolean {
  const { kind, passwordAt } = actor.credential
  return kind !== 'session' || (passwordAt !== undefined && now().getTime() - passwordAt.getTime() < recentPasswordMs)
}

/** Refuses with FORBIDDEN a session whose password was checked too long ago; `action` begins the sentence that says so. */
export function requireRecentPassword(ctx: Pick<Call, 'actor' | 'now'> & PublicAddress, action: string): void {
  if (hasRecentPassword(ctx)) return
  throw new AppError(
    'FORBIDDEN',
    `Confirm your password first, at ${ctx.baseUrl}/account/confirm. ${action} needs a password that was checked in the last 15 minutes.`,
  )
}
