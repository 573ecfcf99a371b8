import { createHash } from 'node:crypto'
import type { Department } from './department-store.ts'
import type { Invite } from './invite-store.ts'
import { maskEmail, maskName } from './mask-email.ts'
import type { Member } from './member-store.ts'
import { isManager, type Membership } from './require-member.ts'
import type { Invite as PresentedInvite, Member as PresentedMember } from './schema.ts'
import { linksForLeader } from './invite-links.ts'
import type { AccountStores } from '../accounts/store.ts'
import type { SignUpSettings } from '../accounts/sign-up-mode.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { MailServices } from '../mail/mailer.ts'
import type { InviteTokenServices } from './invite-tokens.ts'

const roleOrder = ['OWNER', 'ADMIN', 'MEMBER'] as const

interface MembersToPresent {
  members: readonly Member[]
  /** Only these departments are named in the result. */
  departments: readonly Department[]
}

/** Members as visible to the viewer, owners first. For plain members, the addresses of others are masked. */
export async function presentMembers(
  ctx: AccountStores,
  viewer: Membership,
  { members, departments }: MembersToPresent,
): Promise<PresentedMember[]> {
  const accounts = await ctx.accounts.byIds(members.map(({ accountId }) => accountId))
  const byId = new Map(accounts.map((account) => [account.id, account]))
  const presented = members.flatMap((member): PresentedMember[] => {
    const account = byId.get(member.accountId)
    if (!account) return []
    const hidden = isEmailHidden(viewer, member.accountId)
    return [
      {
        teamMemberId: teamMemberId(member),
        email: hidden ? maskEmail(account.email) : account.email,
        emailHidden: hidden,
        name: hidden ? maskName(account.name, account.email) : account.name,
        role: member.role,
        departments: departments.filter(({ id }) => member.departments.includes(id)).map(({ slug }) => slug),
      },
    ]
  })
  return presented.sort((a, b) => roleOrder.indexOf(a.role) - roleOrder.indexOf(b.role))
}

/** An opaque id of a membership, which reveals neither the team nor the account. */
function teamMemberId({ teamId, accountId }: Member): string {
  return createHash('sha256').update(`${teamId}:${accountId}`).digest('hex').slice(0, 24)
}

/** One member as visible to the viewer. */
export async function presentMember(
  ctx: AccountStores,
  viewer: Membership,
  input: { member: Member; departments: Department[] },
) {
  const [member] = await presentMembers(ctx, viewer, { members: [input.member], departments: input.departments })
  if (!member) throw new Error(`Member ${input.member.accountId} has no account`)
  return member
}

/** Invitations as visible to the viewer: only OWNER and ADMIN see addresses and links. */
export async function presentInvites(
  ctx: Call & AccountStores & InviteTokenServices & MailServices & SignUpSettings & PublicAddress,
  viewer: Membership,
  invites: readonly Invite[],
): Promise<PresentedInvite[]> {
  const inviters = invites.flatMap(({ invitedBy }) => invitedBy ?? [])
  const accounts = await ctx.accounts.byIds([...new Set(inviters)])
  const byId = new Map(accounts.map((account) => [account.id, account]))
  const now = ctx.now()
  const hidden = !isManager(viewer)
  const linkOf = hidden ? () => ({ url: null }) : await linksForLeader(ctx, invites)
  return invites.flatMap((invite): PresentedInvite[] => {
    const { id, email, role, invitedBy, createdAt, expiresAt } = invite
    const inviter = invitedBy === null ? undefined : byId.get(invitedBy)
    const masked = inviter && isEmailHidden(viewer, inviter.id)
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
        ...(status === 'PENDING' ? linkOf(invite) : { url: null }),
      },
    ]
  })
}

function statusOf({ status, expiresAt }: Invite, now: Date): PresentedInvite['status'] | null {
  if (status === 'ACCEPTED') return null
  return status === 'PENDING' && expiresAt <= now ? 'EXPIRED' : status
}

function isEmailHidden(viewer: Membership, accountId: string): boolean {
  return !isManager(viewer) && accountId !== viewer.member.accountId
}
