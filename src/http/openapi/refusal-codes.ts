import type { ErrorCode } from '../../core/errors.ts'
import { hasBody, type Declaration, type Route } from '../../core/tool.ts'
import { httpErrorMappings } from '../../transport/refusals.ts'

/** A refusal as a client of one route sees it. */
export interface RouteRefusal {
  code: ErrorCode
  status: number
  /** The `code` of the body; null if the contract omits it. */
  bodyCode: string | null
}

/** Refusals that follow from a declaration: its credential, scope, rate bucket, input and idempotency key. */
export function derivedRefusals(tool: Pick<Declaration, 'rateBucket' | 'idempotent'>): ErrorCode[] {
  return [
    'UNAUTHENTICATED',
    'INSUFFICIENT_SCOPE',
    // The account is suspended.
    'FORBIDDEN',
    'INVALID_INPUT',
    'PAYLOAD_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    'UNAVAILABLE',
    ...(tool.rateBucket === 'none' ? [] : (['RATE_LIMITED'] as const)),
    ...(tool.idempotent ? (['IDEMPOTENCY_KEY_REUSED', 'TRANSIENT_CONFLICT'] as const) : []),
  ]
}

/** All refusals of a route by status: the declared ones and those that follow from the declaration. */
export function routeRefusals(
  tool: Declaration,
  route: Route,
  { takesInput }: { takesInput: boolean },
): RouteRefusal[] {
  const excluded = new Set<ErrorCode>([
    ...(route.credential === 'none' ? (['UNAUTHENTICATED', 'INSUFFICIENT_SCOPE', 'FORBIDDEN'] as const) : []),
    ...(hasBody(route) || route.fileBody !== undefined
      ? []
      : (['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const)),
    ...(takesInput ? [] : (['INVALID_INPUT'] as const)),
  ])
  const declared = [...derivedRefusals(tool), ...(tool.refusals ?? [])]
  const codes = route.legacy?.refusalBody ? visibleCodes(declared) : declared
  const refusals = [...new Set(codes)].filter((code) => !excluded.has(code)).map((code) => describe(code, route))
  return route.ifMatch && codes.includes('VERSION_CONFLICT')
    ? [...refusals, { code: 'VERSION_CONFLICT', status: 412, bodyCode: 'VERSION_CONFLICT' }]
    : refusals
}

/** The visible refusals of a route that answers every refusal of the input and of the use case like a success. */
function visibleCodes(codes: readonly ErrorCode[]): ErrorCode[] {
  const visible = new Set<ErrorCode>([
    'UNAUTHENTICATED',
    'INSUFFICIENT_SCOPE',
    'FORBIDDEN',
    'RATE_LIMITED',
    'UNAVAILABLE',
  ])
  return codes.filter((code) => visible.has(code))
}

function describe(code: ErrorCode, { legacy }: Route): RouteRefusal {
  const { status, bodyCode } = httpErrorMappings[code]
  const shown = bodyCode && !legacy?.codesWithoutCode?.includes(code)
  return { code, status, bodyCode: shown ? (bodyCode === true ? code : bodyCode) : null }
}
