import { findAccessibleBooks } from '../books/access.ts'
import { AppError } from '../core/errors.ts'
import type { Member, MemberStores } from '../teams/member-store.ts'
import type { Manuscript, ManuscriptStatus, ManuscriptStores } from './store.ts'
import type { Call } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'

export interface FoundManuscript {
  manuscript: Manuscript
  /** The caller's membership in the team of the manuscript; null for the author. */
  membership: Member | null
}

/** One of the caller's manuscripts, or one of their teams' whose book they may read. Throws NOT_FOUND otherwise. */
export async function findManuscript(
  ctx: Call & BookAccessStores & ManuscriptStores & MemberStores,
  id: string,
): Promise<FoundManuscript> {
  const own = await ctx.manuscripts.byId(ctx.actor.id, id)
  if (own) return { manuscript: own, membership: null }
  const memberships = await ctx.members.listByAccount(ctx.actor.id)
  const teamIds = memberships.map(({ teamId }) => teamId)
  const manuscript = teamIds.length > 0 ? await ctx.manuscripts.findInTeams(teamIds, id) : null
  const membership = memberships.find(({ teamId }) => teamId === manuscript?.teamId)
  if (!manuscript || !membership || (await findAccessibleBooks(ctx, [manuscript.itemId])).length === 0) {
    throw manuscriptNotFound()
  }
  return { manuscript, membership }
}

/** The caller's manuscripts and those of their teams, newest first. Does not check access to their books. */
export async function listReadableManuscripts(
  ctx: Call & ManuscriptStores & MemberStores,
  status?: ManuscriptStatus,
): Promise<Manuscript[]> {
  const [own, memberships] = await Promise.all([
    ctx.manuscripts.list(ctx.actor.id, status),
    ctx.members.listByAccount(ctx.actor.id),
  ])
  if (memberships.length === 0) return own
  const teamIds = memberships.map(({ teamId }) => teamId)
  const others = (await ctx.manuscripts.listByTeams(teamIds, status)).filter(
    ({ accountId }) => accountId !== ctx.actor.id,
  )
  return [...own, ...others].sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1))
}

/** The error for a manuscript that does not exist or that the caller may not read. */
function manuscriptNotFound(): AppError {
  return new AppError('NOT_FOUND', 'Manuscript not found')
}
