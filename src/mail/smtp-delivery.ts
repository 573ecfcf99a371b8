import type { MailMessage } from './mailer.ts'
import type { MailSettings } from './mail-settings.ts'

/** Hands one mail to the mail server. Rejects if the server does not accept it or `signal` is aborted. */
export type Deliver = (message: MailMessage, signal: AbortSignal) => Promise<void>

/** How long a delivery waits for the mail server, in ms. */
export interface SmtpTimes {
  /** For its address, the connection and its greeting. */
  connectMs: number
  /**
   * For each reply. RFC 5321, section 4.5.3.2, asks for up to ten minutes after the text of a mail: some servers check a
   * mail before they reply, and a client that gives up earlier sends it again.
   */
  replyMs: number
}

export const smtpTimes: SmtpTimes = { connectMs: 15_000, replyMs: 10 * 60_000 }

/**
 * Delivery over SMTP (RFC 5321), with one connection per mail, marked as auto-generated so that no robot answers (RFC
 * 3834).
 */
export function createSmtpDelivery(
  { from, requireTls, ...server }: MailSettings,
  { connectMs, replyMs }: SmtpTimes = smtpTimes,
): Deliver {
  const connect = async () => {
    // Loaded with the first mail: many servers and most commands send none.
    const { createTransport } = await import('nodemailer')
    return createTransport({
      ...server,
      requireTLS: requireTls,
      dnsTimeout: connectMs,
      connectionTimeout: connectMs,
      greetingTimeout: connectMs,
      socketTimeout: replyMs,
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
