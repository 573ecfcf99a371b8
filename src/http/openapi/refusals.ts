import { errorCatalogue } from '../../core/error-catalogue.ts'
import type { ErrorCode } from '../../core/errors.ts'
import { addComponent, type Components } from './components.ts'
import { headerReference, pascalCase, schemaReference, type JsonObject } from './json-schema.ts'
import type { RouteRefusal } from './refusal-codes.ts'
import { refusalFields } from './refusal-fields.ts'

/** The body that all refusals share. */
export const errorSchema: JsonObject = {
  type: 'object',
  description: 'Why a call was refused or failed.',
  required: ['error', 'requestId'],
  properties: {
    error: { type: 'string', description: 'Message for people: what is wrong and how to fix it.' },
    code: { type: 'string', description: 'Error code for clients to branch on; absent for some errors.' },
    requestId: { type: 'string', description: 'Id of this request in the server log.' },
  },
}

/** An error without a declared code: a defect of the server, or an error of the network in between. */
export const unexpectedResponse: JsonObject = {
  description: 'Any other error.',
  content: { 'application/json': { schema: schemaReference('Error') } },
}

/** The responses for the refusals of an operation, by status; `exampleOf` gives the recorded bodies of a code. */
export function refusalResponses(
  refusals: readonly RouteRefusal[],
  operation: { name: string; components: Components; exampleOf: (refusal: RouteRefusal) => unknown },
): Record<string, JsonObject> {
  const byStatus = Map.groupBy(refusals, ({ status }) => status)
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => {
      const schema = refusalSchema(group, { ...operation, status })
      const examples = Object.fromEntries(
        group.flatMap((refusal) => {
          const value = operation.exampleOf(refusal)
          return value === undefined ? [] : [[refusal.code, { summary: errorCatalogue[refusal.code].cause, value }]]
        }),
      )
      const content = { schema, ...(Object.keys(examples).length > 0 ? { examples } : {}) }
      return [
        String(status),
        {
          description: group.map(describeRefusal).join('\n'),
          headers: refusalHeaders(group),
          content: { 'application/json': content },
        },
      ]
    }),
  )
}

function describeRefusal({ code, bodyCode }: RouteRefusal): string {
  const { cause, remedy } = errorCatalogue[code]
  return bodyCode === null ? `${cause} ${remedy}` : `\`${bodyCode}\`: ${cause} ${remedy}`
}

function refusalHeaders(refusals: readonly RouteRefusal[]): JsonObject {
  const waits = refusals.some(({ code }) => errorCatalogue[code].retryable || code === 'READ_LIMIT_EXCEEDED')
  return {
    'X-Request-Id': headerReference('RequestId'),
    ...(waits ? { 'Retry-After': headerReference('RetryAfter') } : {}),
  }
}

/**
 * A reference to the schema of refusals with one status. A single code has a schema of its own name. Several codes
 * share a schema that lists them; with more than two, it belongs to the operation.
 */
function refusalSchema(
  refusals: readonly RouteRefusal[],
  { name, status, components }: { name: string; status: number; components: Components },
): JsonObject {
  const codes = [...new Set(refusals.flatMap(({ bodyCode }) => (bodyCode === null ? [] : [bodyCode])))].sort()
  const withoutCode = refusals.some(({ bodyCode }) => bodyCode === null)
  const fields = Object.assign({}, ...refusals.map(({ code }) => refusalFields[code] ?? {})) as JsonObject
  if (codes.length === 0 && Object.keys(fields).length === 0) return schemaReference('Error')
  const schemaName = nameOf(refusals, { name, status })
  addComponent(components, schemaName, {
    type: 'object',
    description: describeSchema(refusals),
    required: [...(withoutCode ? ['error'] : ['error', 'code']), 'requestId'],
    properties: {
      error: (errorSchema['properties'] as JsonObject)['error'],
      ...(codes.length > 0 ? { code: { type: 'string', enum: codes } } : {}),
      requestId: (errorSchema['properties'] as JsonObject)['requestId'],
      ...fields,
    },
  })
  return schemaReference(schemaName)
}

function nameOf(refusals: readonly RouteRefusal[], { name, status }: { name: string; status: number }): string {
  if (refusals.length > 2) return `${pascalCase(name)}Error${status}`
  const titles = refusals.map(
    ({ code, bodyCode }) => `${bodyCode === null ? 'Uncoded' : ''}${pascalCase(code.toLowerCase())}`,
  )
  return `${titles.sort().join('Or')}Error`
}

function describeSchema(refusals: readonly RouteRefusal[]): string {
  return [...new Set(refusals.map(({ code }: { code: ErrorCode }) => errorCatalogue[code].cause))].join(' ')
}
