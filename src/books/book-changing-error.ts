import { AppError } from '../core/errors.ts'

/** The refusal (TRANSIENT_CONFLICT) of a call that other calls for the same book have overtaken too often. */
export function bookChangingError(): AppError {
  return new AppError('TRANSIENT_CONFLICT', 'Other calls are deleting or restoring this book. Retry in a second.', {
    retryAfterSeconds: 1,
    details: { retryAfterSeconds: 1 },
  })
}
