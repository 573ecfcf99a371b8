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
  /** What this process knows of its mail. */
  state(): MailState
}

export interface MailState {
  /** Number of mails that are queued or being sent. */
  waiting: number
  /** Why the last attempt failed, unless the mail server only refused a recipient; null: it succeeded, or there was none. */
  problem: string | null
}

export interface MailServices {
  mail: Mailer | null
}
