/** Code of every refusal. A new code does not compile until each transport maps it. */
export type ErrorCode =
  | 'UNAUTHENTICATED'
  | 'INSUFFICIENT_SCOPE'
  | 'ORIGIN_NOT_ALLOWED'
  | 'RATE_LIMITED'
  | 'INVALID_INPUT'
  | 'SHELF_PARAM_INVALID'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'FORBIDDEN'
  | 'CONFLICT'
  | 'VERSION_CONFLICT'
  | 'ITEM_NOT_EDITABLE'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'PLAN_LIMIT_EXCEEDED'
  | 'ITEM_LOCKED'
  | 'PUBLISH_NOT_ALLOWED'
  | 'READ_LIMIT_EXCEEDED'
  | 'UNKNOWN_AGENT'
  | 'SHELF_NAME_INVALID'
  | 'SHELF_NAME_TAKEN'
  | 'SHELF_LIMIT_EXCEEDED'
  | 'SHELF_NOT_FOUND'
  | 'KEY_LIMIT_EXCEEDED'
  | 'BATCH_TOO_LARGE'
  | 'QUERY_TOO_LONG'
  | 'MANUSCRIPT_LIMIT_EXCEEDED'
  | 'MANUSCRIPT_ITEM_CONFLICT'
  | 'NOT_TEAM_MEMBER'
  | 'NOT_A_TEAM_MEMBER'
  | 'FORBIDDEN_ROLE'
  | 'DEPARTMENT_NOT_FOUND'
  | 'DEPARTMENT_SLUG_TAKEN'
  | 'MEMBER_NOT_FOUND'
  | 'CANNOT_REMOVE_SELF'
  | 'ITEM_NOT_OWNED'
  | 'TEAM_SUBSCRIPTION_REQUIRED'
  | 'TEAM_ITEM_NOT_FOUND'
  | 'FORBIDDEN_REVOKE'
  | 'ITEM_NOT_FOUND'
  | 'TRANSIENT_CONFLICT'
  | 'UNAVAILABLE'
  | 'STORAGE_FULL'

/** The state of a caller's rate bucket. */
export interface RateStatus {
  /** Calls allowed per window. */
  limit: number
  remaining: number
  /** Whole seconds until the window ends. */
  resetSeconds: number
}

interface AppErrorOptions extends ErrorOptions {
  /** Further fields of the error body, besides `error` and `code`. Never secrets, never book text. */
  details?: Record<string, unknown>
  /** Whole seconds after which a retry may succeed; sent as `Retry-After`. */
  retryAfterSeconds?: number
  /** The rate bucket that refused the call. */
  rateStatus?: RateStatus
}

/** A refusal that the caller can act on; its message names the remedy. Every other thrown error is an internal error. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly details: Record<string, unknown>
  readonly retryAfterSeconds: number | undefined
  readonly rateStatus: RateStatus | undefined

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.details = options.details ?? {}
    this.retryAfterSeconds = options.retryAfterSeconds
    this.rateStatus = options.rateStatus
  }
}

/** MongoDB's error code for a duplicate unique key. */
export const duplicateKeyCode = 11_000

/** True for a duplicate unique key (MongoDB error 11000). */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === duplicateKeyCode
}

const unavailableErrorNames = new Set([
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoServerSelectionError',
  'MongoPoolClearedError',
  'PoolClearedOnNetworkError',
  'MongoPoolClosedError',
  'MongoNotConnectedError',
  'MongoServerClosedError',
  'MongoTopologyClosedError',
  'MongoClientClosedError',
  'MongoWaitQueueTimeoutError',
  'MongoOperationTimeoutError',
])

/**
 * MongoDB error codes of operations that may succeed on retry: timeout (50, 262), lock or write conflict (24, 112), a
 * cursor or query that ended before it was read (43, 175, 237), a machine that another one does not reach (6, 7, 89,
 * 9001), no suitable member (133, 134), a write that was not replicated in time (64), or shutdown and failover of the
 * server (91, 189, 10107, 11600, 11602, 13435, 13436).
 */
const transientErrorCodes = new Set<unknown>([
  6, 7, 24, 43, 50, 64, 89, 91, 112, 133, 134, 175, 189, 237, 262, 9001, 10_107, 11_600, 11_602, 13_435, 13_436,
])

/** True if the database or the file store is unreachable or temporarily unable to serve the request. */
export function isStoreUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (unavailableErrorNames.has(error.name) || isInterruptedWrite(error)) return true
  const code = 'code' in error ? error.code : undefined
  if (error.name === 'MongoServerError' || error.name === 'MongoWriteConcernError') return transientErrorCodes.has(code)
  if (error.name === 'MongoBulkWriteError')
    return transientErrorCodes.has(code) || isStoreUnavailable(bulkWriteCause(error))
  return error.name === 'FileStoreError' && code === 'UNAVAILABLE'
}

/** True for a connection lost while writing a large command; the driver does not wrap these errors. */
function isInterruptedWrite(error: Error): boolean {
  return 'syscall' in error && error.syscall === 'write' && 'code' in error && brokenConnectionCodes.has(error.code)
}

const brokenConnectionCodes = new Set<unknown>(['ECONNRESET', 'EPIPE', 'ETIMEDOUT'])

/** The driver's error for a bulk write that failed as a whole. */
function bulkWriteCause(error: Error): unknown {
  return 'errorResponse' in error ? error.errorResponse : undefined
}

/** MongoDB's code for a disk without space. */
const outOfDiskSpaceCode = 14_031

/** True if the database or the file store has no space left. */
export function isStoreFull(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  if (error.name === 'FileStoreError') return error.code === 'FULL'
  return ['MongoServerError', 'MongoBulkWriteError'].includes(error.name) && error.code === outOfDiskSpaceCode
}
