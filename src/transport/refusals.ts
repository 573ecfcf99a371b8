import { ClientDisconnected } from '../core/cancellation.ts'
import { AppError, isStoreFull, isStoreUnavailable, type ErrorCode, type RateStatus } from '../core/errors.ts'
import type { Log } from '../core/context.ts'
import { rateHeaders } from './rate-headers.ts'

interface HttpErrorMapping {
  status: number
  /** False if the contract's body has no `code`; a code if it differs. */
  bodyCode: boolean | ErrorCode
}

/** HTTP status and body code of every error code (contract, Errors). */
export const httpErrorMappings: Record<ErrorCode, HttpErrorMapping> = {
  UNAUTHENTICATED: { status: 401, bodyCode: false },
  INSUFFICIENT_SCOPE: { status: 403, bodyCode: true },
  ORIGIN_NOT_ALLOWED: { status: 403, bodyCode: true },
  RATE_LIMITED: { status: 429, bodyCode: true },
  INVALID_INPUT: { status: 400, bodyCode: true },
  SHELF_PARAM_INVALID: { status: 400, bodyCode: true },
  PAYLOAD_TOO_LARGE: { status: 413, bodyCode: true },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, bodyCode: true },
  NOT_FOUND: { status: 404, bodyCode: true },
  METHOD_NOT_ALLOWED: { status: 405, bodyCode: true },
  FORBIDDEN: { status: 403, bodyCode: true },
  CONFLICT: { status: 409, bodyCode: true },
  VERSION_CONFLICT: { status: 409, bodyCode: true },
  ITEM_NOT_EDITABLE: { status: 409, bodyCode: true },
  IDEMPOTENCY_KEY_REUSED: { status: 422, bodyCode: true },
  PLAN_LIMIT_EXCEEDED: { status: 403, bodyCode: true },
  ITEM_LOCKED: { status: 403, bodyCode: true },
  PUBLISH_NOT_ALLOWED: { status: 403, bodyCode: true },
  READ_LIMIT_EXCEEDED: { status: 429, bodyCode: true },
  UNKNOWN_AGENT: { status: 400, bodyCode: true },
  SHELF_NAME_INVALID: { status: 400, bodyCode: true },
  SHELF_NAME_TAKEN: { status: 409, bodyCode: true },
  SHELF_LIMIT_EXCEEDED: { status: 403, bodyCode: true },
  SHELF_NOT_FOUND: { status: 404, bodyCode: true },
  KEY_LIMIT_EXCEEDED: { status: 403, bodyCode: true },
  BATCH_TOO_LARGE: { status: 413, bodyCode: true },
  QUERY_TOO_LONG: { status: 414, bodyCode: 'BATCH_TOO_LARGE' },
  MANUSCRIPT_LIMIT_EXCEEDED: { status: 403, bodyCode: true },
  MANUSCRIPT_ITEM_CONFLICT: { status: 409, bodyCode: true },
  NOT_TEAM_MEMBER: { status: 403, bodyCode: true },
  NOT_A_TEAM_MEMBER: { status: 403, bodyCode: true },
  FORBIDDEN_ROLE: { status: 403, bodyCode: true },
  DEPARTMENT_NOT_FOUND: { status: 404, bodyCode: true },
  DEPARTMENT_SLUG_TAKEN: { status: 409, bodyCode: true },
  MEMBER_NOT_FOUND: { status: 404, bodyCode: true },
  CANNOT_REMOVE_SELF: { status: 400, bodyCode: true },
  ITEM_NOT_OWNED: { status: 403, bodyCode: true },
  TEAM_SUBSCRIPTION_REQUIRED: { status: 402, bodyCode: true },
  TEAM_ITEM_NOT_FOUND: { status: 404, bodyCode: true },
  FORBIDDEN_REVOKE: { status: 403, bodyCode: true },
  ITEM_NOT_FOUND: { status: 404, bodyCode: true },
  TRANSIENT_CONFLICT: { status: 503, bodyCode: true },
  UNAVAILABLE: { status: 503, bodyCode: true },
  STORAGE_FULL: { status: 507, bodyCode: true },
}

/** Status for log and metrics of a request whose client disconnected before the response; never sent. */
export const clientDisconnectedStatus = 499

/** Converts a thrown error into a refusal; null for an internal error. */
export function toRefusal(error: unknown): AppError | null {
  if (error instanceof AppError) return error
  if (isStoreFull(error))
    return new AppError('STORAGE_FULL', 'The server has no space left. Tell its administrator.', {
      cause: error,
    })
  if (!isStoreUnavailable(error)) return null
  return new AppError('UNAVAILABLE', 'The database or file store is unavailable. Retry in a few seconds.', {
    cause: error,
    retryAfterSeconds: 2,
  })
}

interface ErrorResponseOptions {
  requestId: string
  log: Log
  /** Error codes for which the route omits the `code` field. */
  codesWithoutCode?: readonly ErrorCode[] | undefined
  /** Prefix of INVALID_INPUT messages on this route. */
  invalidInputPrefix?: string | undefined
  headers?: Record<string, string>
  /** State of the call's rate bucket, if the call was counted before it was refused. */
  rateStatus?: RateStatus | null
  /** Creates the body from its fields, for a transport with another format. */
  toBody?: (fields: Record<string, unknown>) => object
  /** True if `If-Match` named the version: a version conflict is then 412 (RFC 9110, section 13.1.1). */
  ifMatch?: boolean
}

/** The response for an error thrown while serving a request. Logs internal errors and hides their message. */
export function errorResponse(error: unknown, options: ErrorResponseOptions): Response {
  if (error instanceof ClientDisconnected) return new Response(null, { status: clientDisconnectedStatus })
  const { requestId, log, codesWithoutCode, invalidInputPrefix, headers } = options
  const refusal = toRefusal(error)
  if (!refusal) {
    log.error({ err: error }, 'request failed')
    return Response.json({ error: 'Internal error', requestId }, { status: 500, headers })
  }
  if (refusal.cause !== undefined) log.warn({ err: refusal.cause, code: refusal.code }, 'request refused')
  const { bodyCode } = httpErrorMappings[refusal.code]
  const status = statusOf(refusal, options)
  const includesCode = bodyCode && !codesWithoutCode?.includes(refusal.code)
  const body = {
    error:
      invalidInputPrefix && refusal.code === 'INVALID_INPUT'
        ? `${invalidInputPrefix}: ${refusal.message}`
        : refusal.message,
    ...(includesCode ? { code: bodyCode === true ? refusal.code : bodyCode } : {}),
    ...refusal.details,
    requestId,
  }
  const retryAfterSeconds = refusal.retryAfterSeconds
  return Response.json(options.toBody?.(body) ?? body, {
    status,
    headers: {
      ...headers,
      ...rateHeaders(refusal.rateStatus ?? options.rateStatus),
      ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
    },
  })
}

function statusOf({ code }: AppError, { ifMatch }: ErrorResponseOptions): number {
  return ifMatch && code === 'VERSION_CONFLICT' ? 412 : httpErrorMappings[code].status
}
