import type { Log } from '../core/context.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import type { MailSettings } from './mail-settings.ts'
import { createSmtpDelivery } from './smtp-delivery.ts'

/** The mail of a server; null where it has no mail server to hand it to. */
export function openMailer(settings: MailSettings | undefined, log: Log): Outbox | null {
  return settings ? createOutbox(createSmtpDelivery(settings), log) : null
}
