const maxReasonLength = 200

export interface DeliveryFailure {
  code: string | undefined
  /** The SMTP reply code. */
  responseCode: number | undefined
  /** The SMTP command that failed. */
  command: string | undefined
  reason: string
}

/**
 * The log fields of a failed delivery, without links and without the text of the mail, which a mail server may quote in
 * its reply.
 */
export function describeDeliveryFailure(error: unknown): DeliveryFailure {
  const { code, responseCode, command } = deliveryFieldsOf(error)
  const reason = (error instanceof Error ? error.message : String(error)).replaceAll(/\bhttps?:\S+/gi, '[link]')
  return { code, responseCode, command, reason: reason.slice(0, maxReasonLength) }
}

/** True if another attempt would fail in the same way: a 5yz reply (RFC 5321, section 4.2.1) except 503. */
export function isPermanentFailure(error: unknown): boolean {
  return deliveryFieldsOf(error).permanent === true
}

/** True if the mail server refuses this recipient, which says nothing about other mails. */
export function isRecipientRefused(error: unknown): boolean {
  return deliveryFieldsOf(error).command === 'RCPT TO'
}

interface DeliveryErrorFields {
  code?: string
  responseCode?: number
  command?: string
  permanent?: boolean
}

function deliveryFieldsOf(error: unknown): DeliveryErrorFields {
  return error instanceof Error ? (error as DeliveryErrorFields) : {}
}
