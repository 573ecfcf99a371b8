import { AppError } from '../core/errors.ts'
import { notifyShare } from '../teams/notify-share.ts'
import { grantShare, subscriptionRequiredError } from '../teams/grant-share.ts'
import type { Share, ShareStores } from '../teams/share-store.ts'
import type { Manuscript, ManuscriptStores } from './store.ts'
import type { Call, Clock } from '../core/context.ts'
import type { TeamStores } from '../teams/store.ts'
import type { MemberStores } from '../teams/member-store.ts'
import type { NotificationStores } from '../notifications/store.ts'
import type { BookStores } from '../books/store.ts'
import type { DepartmentStores } from '../teams/department-store.ts'

/**
 * Throws NOT_TEAM_MEMBER if the caller is not a member of the team, and TEAM_SUBSCRIPTION_REQUIRED if the team's
 * subscription is inactive and the book is not shared with it yet.
 */
export async function requireTeam(
  ctx: Call & TeamStores & MemberStores & ShareStores,
  { teamId, itemId }: { teamId: string | undefined; itemId: string | null },
): Promise<void> {
  if (teamId === undefined) return
  const [team, member] = await Promise.all([ctx.teams.byId(teamId), ctx.members.find(teamId, ctx.actor.id)])
  if (!team || !member) throw new AppError('NOT_TEAM_MEMBER', `You are not a member of team ${teamId}`)
  if (team.subscriptionActive) return
  const shared = itemId !== null && (await ctx.shares.find(teamId, itemId)) !== null
  if (!shared) throw subscriptionRequiredError()
}

/**
 * Shares the book of a team manuscript with the team, notifies its members, and returns the manuscript as it is
 * afterwards.
 */
export async function shareWithTeam(
  ctx: Call &
    TeamStores &
    MemberStores &
    ManuscriptStores &
    ShareStores &
    NotificationStores &
    BookStores &
    DepartmentStores,
  manuscript: Manuscript,
): Promise<Manuscript> {
  const { teamId, title } = manuscript
  if (teamId === null || manuscript.shareDueAt === null) return manuscript
  const { granted, share } = await completeShare(ctx, manuscript)
  const [team, member] = await Promise.all([ctx.teams.byId(teamId), ctx.members.find(teamId, ctx.actor.id)])
  if (!team || !member) return { ...manuscript, teamId: null }
  if (granted && share)
    await notifyShare(ctx, { membership: { team, member }, share, title, alreadyHadAccess: new Set() })
  return manuscript
}

type Stores = Clock & ManuscriptStores & TeamStores & MemberStores & ShareStores & BookStores & DepartmentStores

/** Completes the shares that a crash interrupted before `before`, without notifications. */
export async function reconcileManuscriptShares(stores: Stores, before: Date): Promise<void> {
  for (const manuscript of await stores.manuscripts.listShareDue(before)) await completeShare(stores, manuscript)
}

async function completeShare(
  stores: Stores,
  { id, accountId, teamId, itemId }: Manuscript,
): Promise<{ granted: boolean; share: Share | null }> {
  const { manuscripts, teams, members, now } = stores
  const team = teamId === null ? null : await teams.byId(teamId)
  if (!team || !(await members.find(team.id, accountId))) {
    // The author has left the team in the meantime, so the manuscript becomes private.
    if (teamId !== null) await manuscripts.detachFromTeam(accountId, teamId)
    return { granted: false, share: null }
  }
  const share: Share = {
    teamId: team.id,
    itemId,
    ownerId: accountId,
    accessLevel: 'READ',
    departments: [],
    sharedBy: accountId,
    sharedAt: now(),
  }
  const { granted } = await grantShare(stores, share).catch((error: unknown) => {
    // The book was deleted in the meantime or its author has left; the responsible call also updates the manuscript.
    if (error instanceof AppError) return { granted: false }
    throw error
  })
  await manuscripts.clearShareDue(accountId, id)
  return { granted, share }
}
