import { derivedId } from '../core/ids.ts'
import type { Place } from './require-member.ts'
import type { Share, ShareStores } from './share-store.ts'
import type { Call } from '../core/context.ts'
import type { NotificationStores } from '../notifications/store.ts'
import type { MemberStores } from './member-store.ts'

interface Announcement {
  place: Place
  share: Share
  title: string
  /** Whom the share reached before; they are not told. */
  before: ReadonlySet<string>
}

/** Tells those who gain a book by a share of it; not those whom it reached already, by this share or that of another team. */
export async function announceShare(
  ctx: Call & ShareStores & NotificationStores & MemberStores,
  { place, share, title, before }: Announcement,
): Promise<void> {
  const { itemId, teamId, ownerId, accessLevel, sharedAt } = share
  const others = (await ctx.shares.ofBook(itemId)).filter((other) => other.teamId !== teamId)
  const known = new Set([ownerId, ctx.actor.id, ...before])
  for (const other of others) for (const id of await reachOf(ctx, other)) known.add(id)
  const gainers = [...(await reachOf(ctx, share))].filter((id) => !known.has(id))
  const sharer = ctx.actor.account.name
  const may = accessLevel === 'WRITE' ? 'You may read it and change its text.' : 'You may read it.'
  await ctx.notifications.addAll(
    gainers.map((accountId) => ({
      id: derivedId(sharedAt, `${teamId}:${itemId}:${accountId}`),
      accountId,
      type: 'item_shared',
      title: `"${title}" is shared with you`,
      body: `${sharer} has shared it with the team "${place.team.name}". ${may}`,
      metadata: { itemId, teamId, teamName: place.team.name, accessLevel },
      createdAt: ctx.now(),
      readAt: null,
    })),
  )
}

/** The accounts of the team that a share reaches. */
export async function reachOf({ members }: MemberStores, { teamId, departments }: Share): Promise<Set<string>> {
  const reached = (await members.list(teamId)).filter(
    (member) =>
      member.role !== 'MEMBER' || departments.length === 0 || departments.some((id) => member.departments.includes(id)),
  )
  return new Set(reached.map(({ accountId }) => accountId))
}
