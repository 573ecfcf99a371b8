import { visibleDepartments } from './find-department.ts'
import { requireMember } from './require-member.ts'
import type { MemberList, TeamRef } from './schema.ts'
import { presentInvites, presentMembers } from './present-member.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { MemberStores } from './member-store.ts'
import type { InviteStores } from './invite-store.ts'
import type { DepartmentStores } from './department-store.ts'
import type { TeamStores } from './store.ts'
import type { SignUpSettings } from '../accounts/sign-up-mode.ts'
import type { AccountStores } from '../accounts/store.ts'
import type { MailServices } from '../mail/mailer.ts'
import type { InviteTokenServices } from './invite-tokens.ts'

/** The members and invitations of a team. */
export async function listMembers(
  ctx: Call &
    MemberStores &
    InviteStores &
    DepartmentStores &
    TeamStores &
    AccountStores &
    InviteTokenServices &
    MailServices &
    SignUpSettings &
    PublicAddress,
  { teamId }: TeamRef,
): Promise<MemberList> {
  const membership = await requireMember(ctx, teamId)
  const [members, invites, departments] = await Promise.all([
    ctx.members.list(teamId),
    ctx.invites.list(teamId),
    ctx.departments.list(teamId),
  ])
  const visible = { members, departments: visibleDepartments(membership, departments) }
  return {
    members: await presentMembers(ctx, membership, visible),
    invites: await presentInvites(ctx, membership, invites),
  }
}
