import { confirmsSignUps, type SignUpSettings } from '../accounts/sign-up-mode.ts'
import type { AccountStores } from '../accounts/store.ts'
import type { Actor, PublicAddress } from '../core/context.ts'
import type { MailServices } from '../mail/mailer.ts'
import type { Invite } from './invite-store.ts'
import type { InviteLinkKind, InviteTokenServices } from './invite-tokens.ts'
import { invitesPageUrl, inviteUrl } from './present-team.ts'

/** True if a link of this kind can create an account for the invited address. */
export function canSignUpWithLink(settings: SignUpSettings & MailServices, kind: InviteLinkKind): boolean {
  const { signUpMode } = settings
  if (signUpMode === 'closed') return false
  if (kind !== 'shown') return true
  return signUpMode === 'team' || (signUpMode === 'open' && !confirmsSignUps(settings))
}

/** How the holder of a link that creates no account can get one. */
export function signUpAdvice({ signUpMode, mail, baseUrl }: SignUpSettings & MailServices & PublicAddress): string {
  if (signUpMode === 'closed') return 'Sign-up is closed on this server. Ask its administrator for an account.'
  if (signUpMode === 'open') return `Sign up at ${baseUrl}/sign-up, then open this link again.`
  return mail
    ? 'Use the link in the mail that this server sent to the invited address, or ask for another invitation.'
    : 'Ask the administrator of this server for an account, then open this link again.'
}

/** True if a link of this kind proves that its bearer owns the invited address. */
export function provesEmail(kind: InviteLinkKind): boolean {
  return kind !== 'shown'
}

/** The link of an invitation as shown to a team leader, or how the invited person gets it. */
export interface VisibleLink {
  url: string | null
  /** Only if the link is withheld. */
  urlNote?: string
}

type LinkServices = AccountStores & InviteTokenServices & MailServices & SignUpSettings & PublicAddress

/**
 * Returns a function that gives the links of pending invitations to one of the team's leaders. If only invited people
 * may sign up, a leader does not see the link for an address without an account, unless the leader is an administrator
 * of the server.
 */
export async function linksForLeader(
  ctx: LinkServices & { readonly actor: Actor },
  invites: readonly Invite[],
): Promise<(invite: Invite) => VisibleLink> {
  if (ctx.actor.account.admin) return ({ id }) => ({ url: inviteUrl(ctx, id, 'admin') })
  if (ctx.signUpMode !== 'invite') return ({ id }) => ({ url: inviteUrl(ctx, id, 'shown') })
  const taken = await ctx.accounts.takenEmails(invites.map(({ email }) => email))
  const urlNote = withheldNote(ctx)
  return ({ id, email }) => (taken.has(email) ? { url: inviteUrl(ctx, id, 'shown') } : { url: null, urlNote })
}

function withheldNote(ctx: MailServices & PublicAddress): string {
  const way = ctx.mail
    ? 'The server mails it to the address'
    : `Ask an administrator of the server to create the account; then the invitation is listed at ${invitesPageUrl(ctx)}`
  return `This address has no account, so its link is not shown: with it, anybody could sign up as this person. ${way}.`
}
