import { createTransport } from 'nodemailer'
import type { MailMessage } from './mailer.ts'
import type { MailSettings } from './mail-settings.ts'

/** Hands one mail to the mail server; rejects when it did not take it, and when the signal says so. */
export type Deliver = (message: MailMessage, signal: AbortSignal) => Promise<void>

const socketTimeoutMs = 15_000

/** Delivery over SMTP (RFC 5321), a connection for each mail, as a message that no robot answers (RFC 3834). */
export function createSmtpDelivery({ from, requireTls, ...server }: MailSettings): Deliver {
  const transport = createTransport({
    ...server,
    requireTLS: requireTls,
    dnsTimeout: socketTimeoutMs,
    connectionTimeout: socketTimeoutMs,
    greetingTimeout: socketTimeoutMs,
    socketTimeout: socketTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return async ({ to, subject, text }, signal) => {
    await transport.sendMail({
      from,
      // As parts, not as a header to be parsed: a comma would make two of it.
      to: { name: '', address: to },
      subject: subject.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim(),
      text,
      headers: { 'Auto-Submitted': 'auto-generated' },
      signal,
    })
  }
}
