import { ClientGone } from '../core/cancellation.ts'
import { AppError, isStoreFull, isStoreUnavailable, type ErrorCode, type RateStatus } from '../core/errors.ts'
import type { Log } from '../core/context.ts'
import { rateHeaders } from './rate-headers.ts'

interface HttpForm {
  status: number
  /** False where the contract's body has no `code`, a name where it has another one. */
  code: boolean | ErrorCode
}

/** The HTTP face of every refusal (contract, Errors). */
export const httpForms: Record<ErrorCode, HttpForm> = {
  UNAUTHENTICATED: { status: 401, code: false },
  INSUFFICIENT_SCOPE: { status: 403, code: true },
  ORIGIN_NOT_ALLOWED: { status: 403, code: true },
  RATE_LIMITED: { status: 429, code: true },
  INVALID_INPUT: { status: 400, code: true },
  SHELF_PARAM_INVALID: { status: 400, code: true },
  PAYLOAD_TOO_LARGE: { status: 413, code: true },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, code: true },
  NOT_FOUND: { status: 404, code: true },
  METHOD_NOT_ALLOWED: { status: 405, code: true },
  FORBIDDEN: { status: 403, code: true },
  CONFLICT: { status: 409, code: true },
  VERSION_CONFLICT: { status: 409, code: true },
  ITEM_NOT_EDITABLE: { status: 409, code: true },
  IDEMPOTENCY_KEY_REUSED: { status: 422, code: true },
  PLAN_LIMIT_EXCEEDED: { status: 403, code: true },
  ITEM_LOCKED: { status: 403, code: true },
  PUBLISH_NOT_ALLOWED: { status: 403, code: true },
  READ_LIMIT_EXCEEDED: { status: 429, code: true },
  UNKNOWN_AGENT: { status: 400, code: true },
  SHELF_NAME_INVALID: { status: 400, code: true },
  SHELF_NAME_TAKEN: { status: 409, code: true },
  SHELF_LIMIT_EXCEEDED: { status: 403, code: true },
  SHELF_NOT_FOUND: { status: 404, code: true },
  BATCH_TOO_LARGE: { status: 413, code: true },
  QUERY_TOO_LONG: { status: 414, code: 'BATCH_TOO_LARGE' },
  MANUSCRIPT_LIMIT_EXCEEDED: { status: 403, code: true },
  MANUSCRIPT_ITEM_CONFLICT: { status: 409, code: true },
  NOT_TEAM_MEMBER: { status: 403, code: true },
  NOT_A_TEAM_MEMBER: { status: 403, code: true },
  FORBIDDEN_ROLE: { status: 403, code: true },
  DEPARTMENT_NOT_FOUND: { status: 404, code: true },
  DEPARTMENT_SLUG_TAKEN: { status: 409, code: true },
  MEMBER_NOT_FOUND: { status: 404, code: true },
  CANNOT_REMOVE_SELF: { status: 400, code: true },
  ITEM_NOT_OWNED: { status: 403, code: true },
  TEAM_SUBSCRIPTION_REQUIRED: { status: 402, code: true },
  TEAM_ITEM_NOT_FOUND: { status: 404, code: true },
  FORBIDDEN_REVOKE: { status: 403, code: true },
  ITEM_NOT_FOUND: { status: 404, code: true },
  TRANSIENT_CONFLICT: { status: 503, code: true },
  UNAVAILABLE: { status: 503, code: true },
  STORAGE_FULL: { status: 507, code: true },
}

/** The status of a request whose client went away before its answer, for log and metrics; no client ever sees it. */
export const clientGone = 499

/** Turns whatever was thrown into a refusal, or null when it is a defect of ours. */
export function asRefusal(error: unknown): AppError | null {
  if (error instanceof AppError) return error
  if (isStoreFull(error))
    return new AppError('STORAGE_FULL', 'The server has no room for files left.', { cause: error })
  if (!isStoreUnavailable(error)) return null
  return new AppError('UNAVAILABLE', 'The store cannot be reached right now. Retry in a few seconds.', {
    cause: error,
    retryAfterSeconds: 2,
  })
}

interface ErrorScene {
  requestId: string
  log: Log
  /** Codes that the route leaves out of its bodies. */
  withoutCode?: readonly ErrorCode[] | undefined
  /** What the message of INVALID_INPUT begins with on this route. */
  invalid?: string | undefined
  headers?: Record<string, string>
  /** The rate bucket that the call counted in before it was refused for another reason. */
  rate?: RateStatus | null
  /** The version was named by `If-Match`: that it is not the current one is 412 (RFC 9110, section 13.1.1). */
  ifMatch?: boolean
}

/** The response for anything thrown while a request was served. A defect is logged and answered without its text. */
export function errorResponse(error: unknown, scene: ErrorScene): Response {
  if (error instanceof ClientGone) return new Response(null, { status: clientGone })
  const { requestId, log, withoutCode, invalid, headers } = scene
  const refusal = asRefusal(error)
  if (!refusal) {
    log.error({ err: error }, 'request failed')
    return Response.json({ error: 'Internal error', requestId }, { status: 500, headers })
  }
  if (refusal.cause !== undefined) log.warn({ err: refusal.cause, code: refusal.code }, 'request refused')
  const { code } = httpForms[refusal.code]
  const status = statusOf(refusal, scene)
  const named = code && !withoutCode?.includes(refusal.code)
  const body = {
    error: invalid && refusal.code === 'INVALID_INPUT' ? `${invalid}: ${refusal.message}` : refusal.message,
    ...(named ? { code: code === true ? refusal.code : code } : {}),
    ...refusal.details,
    requestId,
  }
  const retry = refusal.retryAfterSeconds
  return Response.json(body, {
    status,
    headers: {
      ...headers,
      ...rateHeaders(refusal.rate ?? scene.rate),
      ...(retry === undefined ? {} : { 'Retry-After': String(retry) }),
    },
  })
}

function statusOf({ code }: AppError, { ifMatch }: ErrorScene): number {
  return ifMatch && code === 'VERSION_CONFLICT' ? 412 : httpForms[code].status
}
