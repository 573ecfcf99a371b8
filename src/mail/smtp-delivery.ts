import type { MailMessage } from './mailer.ts'
import type { MailSettings } from './mail-settings.ts'

/** Hands one mail to the mail server. Rejects if the server does not accept it or `signal` is aborted. */
export type Deliver = (message: MailMessage, signal: AbortSignal) => Promise<void>

const socketTimeoutMs = 15_000

/**
 * Delivery over SMTP (RFC 5321), with one connection per mail, marked as auto-generated so that no robot answers (RFC
 * 3834).
 */
export function createSmtpDelivery({ from, requireTls, ...server }: MailSettings): Deliver {
  const connect = async () => {
    // Loaded with the first mail: many servers and most commands send none.
    const { createTransport } = await import('nodemailer')
    return createTransport({
      ...server,
      requireTLS: requireTls,
      dnsTimeout: socketTimeoutMs,
      connectionTimeout: socketTimeoutMs,
      greetingTimeout: socketTimeoutMs,
      socketTimeout: socketTimeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  }
  let transport: ReturnType<typeof connect> | undefined
  return async ({ to, subject, text }, signal) => {
    transport ??= connect()
    await (
      await transport
    ).sendMail({
      from,
      // As an object, because nodemailer would parse a string and split it at commas.
      to: { name: '', address: to },
      subject: subject.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim(),
      text,
      headers: { 'Auto-Submitted': 'auto-generated' },
      signal,
    })
  }
}
