import type { Department } from './department-store.ts'
import type { Invite } from './invite-store.ts'
import { maskEmail, maskName } from './mask-email.ts'
import type { Member } from './member-store.ts'
import { isLeader, type Place } from './require-member.ts'
import type { Invite as ShownInvite, Member as ShownMember } from './schema.ts'
import { inviteUrl } from './present-team.ts'
import type { AccountStores } from '../accounts/store.ts'
import type { Clock, PublicAddress } from '../core/context.ts'
import type { InviteTokenServices } from './invite-tokens.ts'

const ranks = ['OWNER', 'ADMIN', 'MEMBER'] as const

interface Shown {
  members: readonly Member[]
  /** The departments that are named; others are left out. */
  departments: readonly Department[]
}

/** Members as the viewer may see them, the owners first: plain members see the addresses of others masked. */
export async function showMembers(
  ctx: AccountStores,
  viewer: Place,
  { members, departments }: Shown,
): Promise<ShownMember[]> {
  const accounts = await ctx.accounts.byIds(members.map(({ accountId }) => accountId))
  const byId = new Map(accounts.map((account) => [account.id, account]))
  const shown = members.flatMap((member): ShownMember[] => {
    const account = byId.get(member.accountId)
    if (!account) return []
    const hidden = isHidden(viewer, member.accountId)
    return [
      {
        email: hidden ? maskEmail(account.email) : account.email,
        emailHidden: hidden,
        name: hidden ? maskName(account.name, account.email) : account.name,
        role: member.role,
        departments: departments.filter(({ id }) => member.departments.includes(id)).map(({ slug }) => slug),
      },
    ]
  })
  return shown.sort((a, b) => ranks.indexOf(a.role) - ranks.indexOf(b.role))
}

/** One member as the viewer may see them. */
export async function showMember(
  ctx: AccountStores,
  viewer: Place,
  shown: { member: Member; departments: Department[] },
) {
  const [member] = await showMembers(ctx, viewer, { members: [shown.member], departments: shown.departments })
  if (!member) throw new Error(`Member ${shown.member.accountId} has no account`)
  return member
}

/** Invitations as the viewer may see them: their links are for those who run the team. */
export async function showInvites(
  ctx: Clock & AccountStores & InviteTokenServices & PublicAddress,
  viewer: Place,
  invites: readonly Invite[],
): Promise<ShownInvite[]> {
  const inviters = invites.flatMap(({ invitedBy }) => invitedBy ?? [])
  const accounts = await ctx.accounts.byIds([...new Set(inviters)])
  const byId = new Map(accounts.map((account) => [account.id, account]))
  const now = ctx.now()
  const hidden = !isLeader(viewer)
  return invites.flatMap((invite): ShownInvite[] => {
    const { id, email, role, invitedBy, createdAt, expiresAt } = invite
    const inviter = invitedBy === null ? undefined : byId.get(invitedBy)
    const masked = inviter && isHidden(viewer, inviter.id)
    const status = statusOf(invite, now)
    if (status === null) return []
    return [
      {
        id,
        email: hidden ? maskEmail(email) : email,
        emailHidden: hidden,
        role,
        status,
        createdAt: createdAt.toISOString(),
        expiresAt: expiresAt.toISOString(),
        invitedBy: (masked ? maskName(inviter.name, inviter.email) : inviter?.name) ?? 'a former user',
        url: hidden || status !== 'PENDING' ? null : inviteUrl(ctx, id),
      },
    ]
  })
}

function statusOf({ status, expiresAt }: Invite, now: Date): ShownInvite['status'] | null {
  if (status === 'ACCEPTED') return null
  return status === 'PENDING' && expiresAt <= now ? 'EXPIRED' : status
}

function isHidden(viewer: Place, accountId: string): boolean {
  return !isLeader(viewer) && accountId !== viewer.member.accountId
}
