import type { Account } from '../core/account.ts'
import { AppError } from '../core/errors.ts'
import type { Member, MemberStores } from './member-store.ts'
import type { AccountStores } from '../accounts/store.ts'

/** The member of a team with this email address, or null. */
export async function findMemberByEmail(
  { accounts, members }: AccountStores & MemberStores,
  teamId: string,
  email: string,
): Promise<{ account: Account; member: Member } | null> {
  const account = await accounts.byEmail(email)
  const member = account && (await members.find(teamId, account.id))
  return account && member ? { account, member } : null
}

/** The error for an address that no member of the team has. */
export function memberNotFoundError(email: string): AppError {
  return new AppError('MEMBER_NOT_FOUND', `No member of this team has the address ${email}. Invite them first.`)
}
