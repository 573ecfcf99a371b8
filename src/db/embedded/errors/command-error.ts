import { codeOf } from './codes.ts'
import type { CodeName } from './codes.ts'

/** A refusal with one of MongoDB's error codes; the wire layer converts it to `{ok: 0, code, codeName, errmsg}`. */
export class CommandError extends Error {
  readonly code: number
  readonly codeName: string
  /** Labels that the driver acts on, such as `TransientTransactionError` and `RetryableWriteError`. */
  readonly labels: readonly string[]

  constructor(codeName: CodeName, message: string, labels: readonly string[] = []) {
    super(message)
    this.name = 'CommandError'
    this.code = codeOf(codeName)
    this.codeName = codeName
    this.labels = labels
  }
}
