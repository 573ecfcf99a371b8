/** A failure other than wrong usage; exit status 1. */
export class ClientError extends Error {
  readonly code: string
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
