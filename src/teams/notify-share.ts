import { dailyId, newId } from '../core/ids.ts'
import type { Membership } from './require-member.ts'
import type { Share, ShareStores } from './share-store.ts'
import type { Call } from '../core/context.ts'
import type { NotificationStores } from '../notifications/store.ts'
import type { MemberStores } from './member-store.ts'

interface ShareNotice {
  membership: Membership
  share: Share
  title: string
  /** Accounts that already had access through this share; they are not notified. */
  alreadyHadAccess: ReadonlySet<string>
}

/**
 * Notifies the accounts that gain access to a book through a share, except those that already had it through this share
 * or another team. An account is notified of a book and a team once a day, however often the book is shared anew.
 */
export async function notifyShare(
  ctx: Call & ShareStores & NotificationStores & MemberStores,
  { membership, share, title, alreadyHadAccess }: ShareNotice,
): Promise<void> {
  const { itemId, teamId, ownerId, accessLevel, sharedAt } = share
  const others = (await ctx.shares.listByBook(itemId)).filter((other) => other.teamId !== teamId)
  const excluded = new Set([ownerId, ctx.actor.id, ...alreadyHadAccess])
  for (const other of others) for (const id of await shareAudience(ctx, other)) excluded.add(id)
  const recipients = [...(await shareAudience(ctx, share))].filter((id) => !excluded.has(id))
  const sharer = ctx.actor.account.name
  const permissionText = accessLevel === 'WRITE' ? 'You may read it and change its text.' : 'You may read it.'
  await ctx.notifications.addAll(
    recipients.map((accountId) => ({
      id: dailyId(sharedAt, `${teamId}:${itemId}:${accountId}`),
      accountId,
      type: 'item_shared',
      title: `"${title}" is shared with you`,
      body: `${sharer} shared it with the team "${membership.team.name}". ${permissionText}`,
      metadata: { itemId, teamId, teamName: membership.team.name, accessLevel },
      createdAt: ctx.now(),
      readAt: null,
    })),
  )
}

interface GrantNotice extends Omit<ShareNotice, 'alreadyHadAccess'> {
  /** True if the team may write from now on; false if more members may read. */
  raised: boolean
}

/** Notifies the owner of a book that another member of the team has granted more access to it. */
export async function notifyOwnerOfGrant(
  ctx: Call & NotificationStores,
  { membership, share, title, raised }: GrantNotice,
): Promise<void> {
  const { itemId, teamId, ownerId, accessLevel } = share
  const { name: teamName } = membership.team
  const leader = ctx.actor.account.name
  const granted = raised ? 'may change its text and its metadata' : 'who did not see it before may read it'
  await ctx.notifications.add({
    id: newId(ctx.now()),
    accountId: ownerId,
    type: 'item_shared',
    title: raised ? `"${title}" can be changed by a team` : `"${title}" is shared with more members of a team`,
    body: `${leader} has decided that members of the team "${teamName}" ${granted}. You can end the share at any time.`,
    metadata: { itemId, teamId, teamName, accessLevel },
    createdAt: ctx.now(),
    readAt: null,
  })
}

/** The accounts that gain access through a share. */
export async function shareAudience({ members }: MemberStores, { teamId, departments }: Share): Promise<Set<string>> {
  const recipients = (await members.list(teamId)).filter(
    (member) =>
      member.role !== 'MEMBER' || departments.length === 0 || departments.some((id) => member.departments.includes(id)),
  )
  return new Set(recipients.map(({ accountId }) => accountId))
}
