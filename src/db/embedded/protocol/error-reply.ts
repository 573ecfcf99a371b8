import { Double, Int32 } from 'bson'
import { encode } from '../bson/bytes.ts'
import { CommandError } from '../errors/command-error.ts'
import { DuplicateKeyError } from '../storage/duplicate-key.ts'
import { storageFailure } from '../storage/sqlite.ts'

/** The reply for a refused command; any other error becomes InternalError. */
export function errorReply(error: unknown): Uint8Array {
  const refusal = error instanceof CommandError ? error : storageFailure(error)
  const { keyPattern, keyValue } = refusal instanceof DuplicateKeyError ? refusal : {}
  return encode({
    ok: new Double(0),
    errmsg: refusal.message,
    code: new Int32(refusal.code),
    codeName: refusal.codeName,
    ...(keyPattern && keyValue && { keyPattern, keyValue }),
    ...(refusal.labels.length > 0 && { errorLabels: [...refusal.labels] }),
  })
}
