import type { MailServices } from '../mail/mailer.ts'
import { counted } from '../text/counted.ts'
import { improvable, unwell, well, type HealthCheck } from './check.ts'

/** Says whether this process sends mail, and whether the mail server took the last one. */
export function mailCheck({ mail }: MailServices): HealthCheck {
  return {
    name: 'mail',
    title: 'Mail',
    async look() {
      if (mail === null)
        return improvable(
          'This server sends no mail. People have to pass on links for new passwords and invitations themselves.',
          'Set LECTERN_SMTP_URL to the address of a mail server.',
        )
      const { waiting, problem } = mail.state()
      const queue =
        waiting === 0 ? 'No mail waits.' : `${counted(waiting, 'mail')} ${waiting === 1 ? 'waits' : 'wait'}.`
      if (problem !== null)
        return unwell(
          `The mail server did not take the last mail: ${problem.replace(/\.$/, '')}. ${queue}`,
          'See that LECTERN_SMTP_URL names the mail server, the user and the password, and what the mail server logs. Mails that were dropped have to be requested again.',
        )
      return well(`Mail is sent. ${queue}`)
    },
    remedy: 'See the log of the server.',
  }
}
