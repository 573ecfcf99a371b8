import { errorCatalogue } from '../../../../core/error-catalogue.ts'
import type { ErrorCode } from '../../../../core/errors.ts'
import { httpErrorMappings } from '../../../../transport/refusals.ts'
import {
  resolve,
  type ApiDocument,
  type Content,
  type DescribedOperation,
  type DescribedResponse,
} from './api-document.ts'

/** A refusal code of an operation, with its status. */
export interface Refusal {
  status: number
  code: ErrorCode
  /** A recorded message; undefined if there is none. */
  message: string | undefined
}

const codes = Object.keys(errorCatalogue) as ErrorCode[]

/**
 * The codes in the response descriptions of an operation; those without a code in the body are identified by their
 * cause.
 */
export function readRefusals(document: ApiDocument, { responses }: DescribedOperation): Refusal[] {
  return Object.entries(responses).flatMap(([key, response]) => {
    const status = Number(key)
    if (!(status >= 400)) return []
    const { description = '', content = {} } = resolve<DescribedResponse>(document, response)
    const named = codes.filter((code) => isNamed(code, description, status))
    return named.map((code) => ({ status, code, message: messageOf(code, content, named.length === 1) }))
  })
}

function isNamed(code: ErrorCode, description: string, status: number): boolean {
  if (description.includes(`\`${code}\``)) return true
  const { cause, remedy } = errorCatalogue[code]
  return httpErrorMappings[code].status === status && description.includes(`${cause} ${remedy}`)
}

/** The message in the example of a code: the example with its name, or the only one. */
function messageOf(code: ErrorCode, content: Content, isOnly: boolean): string | undefined {
  const examples = Object.values(content).flatMap((media) => Object.entries(media.examples ?? {}))
  const found = examples.find(([name, example]) => {
    const body = 'value' in example ? (example.value as { code?: unknown } | undefined) : undefined
    return body?.code === code || name.includes(code) || isOnly
  })
  const example = found?.[1]
  const body = example && 'value' in example ? (example.value as { error?: unknown }) : undefined
  return typeof body?.error === 'string' ? body.error : undefined
}
