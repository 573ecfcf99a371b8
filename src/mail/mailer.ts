/** A plain-text mail to one person. */
export interface MailMessage {
  /** One address. */
  to: string
  subject: string
  text: string
}

/** Sends mails from this server's address, in the background: neither call waits for the mail server or fails by it. */
export interface Mailer {
  /** Takes a mail over; refuses with an `Error` what is not one address. */
  send(message: MailMessage): Promise<void>
  /** Composes a mail in the background too, so that the time of an answer tells nothing of whether there was one. */
  composeAndSend(compose: () => Promise<MailMessage | null>): void
}

export interface MailServices {
  mail: Mailer | null
}
