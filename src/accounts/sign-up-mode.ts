import type { MailServices } from '../mail/mailer.ts'

/**
 * Who may create accounts. `open`: anybody. `team`: also people with an invitation link from a team leader.
 * `invite`: only people with a link from an administrator or by mail from the server. `closed`: only administrators.
 */
export const signUpModes = ['open', 'team', 'invite', 'closed'] as const

export type SignUpMode = (typeof signUpModes)[number]

export interface SignUpSettings {
  signUpMode: SignUpMode
}

/** True if anybody may sign up but must first confirm the address with a mailed link. */
export function confirmsSignUps({ signUpMode, mail }: SignUpSettings & MailServices): boolean {
  return signUpMode === 'open' && mail !== null
}
