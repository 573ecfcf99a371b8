import type { ErrorCode } from '../../../../core/errors.ts'
import { httpErrorMappings } from '../../../../transport/refusals.ts'
import { resolve, type ApiDocument, type DescribedOperation } from './api-document.ts'

/** A code that an operation may answer, with its status. */
export interface Refusal {
  status: number
  code: ErrorCode
}

const codes = Object.keys(httpErrorMappings) as ErrorCode[]

/** The codes that a response names, in its schema or its examples; the usual one of its status where it names none. */
export function readRefusals(document: ApiDocument, { responses }: DescribedOperation): Refusal[] {
  return Object.entries(responses).flatMap(([key, response]) => {
    const status = Number(key)
    if (!(status >= 400)) return []
    const text = JSON.stringify(withoutReferences(document, response))
    const named = codes.filter((code) => text.includes(`"${code}"`))
    const usual = usualCodes[status]
    return (named.length > 0 ? named : usual ? [usual] : []).map((code) => ({ status, code }))
  })
}

const usualCodes: Partial<Record<number, ErrorCode>> = {
  400: 'INVALID_INPUT',
  401: 'UNAUTHENTICATED',
  403: 'INSUFFICIENT_SCOPE',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  409: 'CONFLICT',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'RATE_LIMITED',
  503: 'UNAVAILABLE',
}

/** A part of the document with what its references lead to, two steps far. */
function withoutReferences(document: ApiDocument, part: unknown, depth = 4): unknown {
  if (depth === 0 || typeof part !== 'object' || part === null) return depth === 0 ? null : part
  if (Array.isArray(part)) return part.map((entry) => withoutReferences(document, entry, depth))
  const isReference = '$ref' in part
  const whole: object = isReference ? resolve<object>(document, part) : part
  return Object.fromEntries(
    Object.entries(whole).map(([key, value]) => [
      key,
      withoutReferences(document, value, isReference ? depth - 1 : depth),
    ]),
  )
}
