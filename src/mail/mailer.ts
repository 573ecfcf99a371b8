/** A plain-text mail to one person. */
export interface MailMessage {
  /** Exactly one email address. */
  to: string
  subject: string
  text: string
}

/**
 * Sends mail from this server's address in the background: neither method waits for the mail server or fails because of
 * it.
 */
export interface Mailer {
  /** Queues a mail. Rejects with an `Error` if `to` is not exactly one address. */
  send(message: MailMessage): Promise<void>
  /** Composes the mail in the background too, so that response times do not reveal whether one was sent. */
  composeAndSend(compose: () => Promise<MailMessage | null>): void
}

export interface MailServices {
  mail: Mailer | null
}
