import type { MailServices } from '../mail/mailer.ts'

/**
 * Who creates accounts: `open` anybody, `team` also people with a link that a team leader was shown, `invite` only people
 * with a link of an administrator or one that the server mailed, `closed` nobody but administrators.
 */
export const signUpModes = ['open', 'team', 'invite', 'closed'] as const

export type SignUpMode = (typeof signUpModes)[number]

export interface SignUpSettings {
  signUpMode: SignUpMode
}

/** True if anybody may sign up and has to confirm the address first, by a link that is mailed to it. */
export function confirmsSignUps({ signUpMode, mail }: SignUpSettings & MailServices): boolean {
  return signUpMode === 'open' && mail !== null
}
