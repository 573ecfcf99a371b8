import type { Declaration, Route } from '../../core/tool.ts'
import { answerSchema, named, type Components } from './components.ts'
import { headerReference, pascalCase, type JsonObject } from './json-schema.ts'

/** The success statuses of a route. */
function successStatuses({ status, legacy }: Route): readonly number[] {
  if (typeof status === 'number') return [status]
  return status ? (legacy?.statuses ?? [201, 207]) : [200]
}

const statusDescriptions: Record<number, string> = {
  200: 'Success.',
  201: 'Created.',
  207: 'Done in part: `notFound` names the rest.',
}

/** The successful responses of an operation; `exampleOf` gives the recorded body of a status. */
export function answerResponses(
  tool: Declaration,
  route: Route,
  { components, exampleOf }: { components: Components; exampleOf: (status: number) => unknown },
): Record<string, JsonObject> {
  const headers = answerHeaders(tool)
  if (route.file) return fileResponses(route.file, headers)
  const schema = named(components, `${pascalCase(tool.name)}Result`, bodySchema(tool, route, components))
  const statuses = successStatuses(route)
  const described = statuses.map((status) => {
    const value = exampleOf(status)
    const examples = value === undefined ? {} : { examples: { recorded: { value } } }
    // If a route has both statuses, 200 means that the object existed already.
    const description = statuses.includes(201) && status === 200 ? 'It existed already.' : statusDescriptions[status]
    return [String(status), { description, headers, content: { 'application/json': { schema, ...examples } } }]
  })
  const unchanged =
    route.maxAge === undefined ? {} : { 304: { description: "The client's copy (If-None-Match) is current." } }
  return { ...Object.fromEntries(described), ...unchanged }
}

function bodySchema(tool: Declaration, route: Route, components: Components): JsonObject {
  const schema = answerSchema(route.output ?? tool.output, components)
  const bodyField = route.legacy?.bodyField
  if (bodyField === undefined) return schema
  return (schema['properties'] as Record<string, JsonObject>)[bodyField] ?? {}
}

/** The responses of a file route: the file, a byte range, or 304 if the client's copy is current. */
function fileResponses({ contentTypes }: NonNullable<Route['file']>, headers: JsonObject): Record<string, JsonObject> {
  const content = Object.fromEntries(contentTypes.map((type) => [type, {}]))
  return {
    200: { description: 'The file, as an attachment.', headers, content },
    206: { description: 'The requested range.', headers, content },
    304: { description: "The client's copy (If-None-Match) is current." },
    416: { description: 'The file does not contain the range.' },
  }
}

function answerHeaders({ rateBucket }: Declaration): JsonObject {
  return {
    'X-Request-Id': headerReference('RequestId'),
    ...(rateBucket === 'none'
      ? {}
      : {
          'RateLimit-Limit': headerReference('RateLimitLimit'),
          'RateLimit-Remaining': headerReference('RateLimitRemaining'),
          'RateLimit-Reset': headerReference('RateLimitReset'),
        }),
  }
}
