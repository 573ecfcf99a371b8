const shownLength = 200

/** What is logged of a mail that was not taken: no link and no text of it, which a mail server may quote in its answer. */
export function describeFailure(error: unknown): object {
  const { code, responseCode, command } = fieldsOf(error)
  const reason = (error instanceof Error ? error.message : String(error)).replaceAll(/\bhttps?:\S+/gi, '[link]')
  return { code, responseCode, command, reason: reason.slice(0, shownLength) }
}

/** Whether another try would be refused in the same way: an answer of the class 5yz (RFC 5321, section 4.2.1), but for 503. */
export function isFinal(error: unknown): boolean {
  return fieldsOf(error).permanent === true
}

interface DeliveryFields {
  code?: string
  responseCode?: number
  command?: string
  permanent?: boolean
}

function fieldsOf(error: unknown): DeliveryFields {
  return error instanceof Error ? (error as DeliveryFields) : {}
}
