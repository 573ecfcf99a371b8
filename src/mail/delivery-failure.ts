const maxReasonLength = 200

/** What is logged of a mail that was not taken: no link and no text of it, which a mail server may quote in its answer. */
export function describeDeliveryFailure(error: unknown): object {
  const { code, responseCode, command } = deliveryFieldsOf(error)
  const reason = (error instanceof Error ? error.message : String(error)).replaceAll(/\bhttps?:\S+/gi, '[link]')
  return { code, responseCode, command, reason: reason.slice(0, maxReasonLength) }
}

/** Whether another try would be refused in the same way: an answer of the class 5yz (RFC 5321, section 4.2.1), but for 503. */
export function isPermanentFailure(error: unknown): boolean {
  return deliveryFieldsOf(error).permanent === true
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
