import type { Log } from '../core/context.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import type { MailSettings } from './mail-settings.ts'
import { createSmtpDelivery } from './smtp-delivery.ts'

/** The mailer of a server; null without a mail server. */
export function openMailer(settings: MailSettings | undefined, log: Log): Outbox | null {
  return settings ? createOutbox(createSmtpDelivery(settings), log) : null
}
