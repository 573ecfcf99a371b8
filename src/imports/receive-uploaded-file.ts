import { AppError, type ErrorCode } from '../core/errors.ts'
import { receiveUpload, UploadError, type UploadErrorCode, type UploadRequest } from '../files/receive-upload.ts'
import type { StoredFile, FileStores } from '../files/store.ts'
import type { Clock } from '../core/context.ts'
import { requireActiveAccount } from '../accounts/require-active-account.ts'
import type { AccountStores } from '../accounts/store.ts'
import type { UploadStores } from './store.ts'

const errorCodes: Record<UploadErrorCode, ErrorCode> = {
  TOKEN_INVALID: 'FORBIDDEN',
  TOKEN_EXPIRED: 'FORBIDDEN',
  TYPE_MISMATCH: 'UNSUPPORTED_MEDIA_TYPE',
  TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  ALREADY_USED: 'CONFLICT',
  LENGTH_MISMATCH: 'INVALID_INPUT',
  INTERRUPTED: 'INVALID_INPUT',
}

interface Receiver {
  /** The secret that signs upload URLs. */
  secret: string
  /** Called before the body is read, with the account of the signed URL. */
  onAdmitted(accountId: string): void
}

/**
 * Receives the single PUT to a signed upload URL of the disk driver. The URL cannot be used again once the file is
 * stored, and is refused while its account is suspended or closed. Throws FORBIDDEN, UNSUPPORTED_MEDIA_TYPE,
 * PAYLOAD_TOO_LARGE, CONFLICT and INVALID_INPUT (`errorCodes`).
 */
export async function receiveUploadedFile(
  { files, uploads, accounts, now }: Clock & FileStores & UploadStores & AccountStores,
  request: UploadRequest,
  { secret, onAdmitted }: Receiver,
): Promise<StoredFile> {
  try {
    let receivedKey = ''
    const stored = await receiveUpload(files, request, {
      secret,
      now: now(),
      isUsed: async (key) => {
        receivedKey = key
        const upload = await uploads.byKey(key)
        if (upload === null || upload.receivedAt !== null) return true
        const account = await accounts.byId(upload.accountId)
        if (account === null) return true
        requireActiveAccount(account)
        onAdmitted(account.id)
        return false
      },
    })
    await uploads.setReceivedAt(receivedKey, now())
    return stored
  } catch (error) {
    throw toUploadRefusal(error)
  }
}

/** The refusal for a rejected upload; returns other errors unchanged. */
export function toUploadRefusal(error: unknown): unknown {
  if (!(error instanceof UploadError)) return error
  return new AppError(errorCodes[error.code], error.message, { cause: error.cause })
}
