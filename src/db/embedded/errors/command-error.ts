import { codeOf } from './codes.ts'
import type { CodeName } from './codes.ts'

/** A refusal with one of MongoDB's own error codes; the wire layer turns it into `{ok: 0, code, codeName, errmsg}`. */
export class CommandError extends Error {
  readonly code: number
  readonly codeName: string
  /** `TransientTransactionError`, `RetryableWriteError` … where the driver must act on it. */
  readonly labels: readonly string[]

  constructor(codeName: CodeName, message: string, labels: readonly string[] = []) {
    super(message)
    this.name = 'CommandError'
    this.code = codeOf(codeName)
    this.codeName = codeName
    this.labels = labels
  }
}
