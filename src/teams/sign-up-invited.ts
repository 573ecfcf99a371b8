import { makeAccount } from '../accounts/sign-up.ts'
import type { Services } from '../core/context.ts'
import { announceInvites } from './announce-invite.ts'
import { join } from './answer-invite.ts'
import { inviteNotFound, openInvite } from './find-invite.ts'

/**
 * Makes an account for the address that an invitation is for and takes it into the team: to sign up through the link is to
 * accept. An account that the address had before stays as it is, and accepts by itself; nobody is told which it was.
 */
export async function signUpInvited(
  services: Services,
  { token, name, password }: { token: string; name?: string | undefined; password: string },
  client: string,
): Promise<void> {
  const found = await openInvite(services, token)
  if (!found) throw inviteNotFound()
  const account = await makeAccount(services, { email: found.invite.email, name, password }, client)
  if (!account) return
  await join(services, token, account)
  await announceInvites(services, account)
}
