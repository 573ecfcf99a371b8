import { z } from 'zod'
import type { ErrorCode } from '../core/errors.ts'
import { routePath, type Route, type Declaration } from '../core/tool.ts'
import { httpErrorMappings } from '../transport/refusals.ts'
import { hasBody } from './read-input.ts'

interface DocumentOptions {
  tools: readonly Declaration[]
  baseUrl: string
  version: string
}

type JsonObject = Record<string, unknown>

/** The OpenAPI 3.1 description of every declared route, as JSON. */
export function openApiDocument({ tools, baseUrl, version }: DocumentOptions): string {
  const paths: Record<string, JsonObject> = {}
  const definitions: JsonObject = { Error: errorSchema }
  for (const tool of tools) {
    if (!tool.rest) continue
    const path = routePath(tool.rest)
    const described = describeOperation(tool, tool.rest, definitions)
    paths[path] = { ...paths[path], [tool.rest.method.toLowerCase()]: described }
    if (tool.rest.events) {
      paths[routePath({ ...tool.rest, ...tool.rest.events })] = {
        get: describeEventStream(described, tool.rest.events),
      }
    }
  }
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Lectern', version, description: 'A library of books that people and agents read.' },
    servers: [{ url: baseUrl }],
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes,
      schemas: definitions,
    },
  })
}

const securitySchemes = {
  apiKey: { type: 'http', scheme: 'bearer', description: 'An API key.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'lectern',
    description: 'A browser session; the cookie is `__Host-lectern` over https.',
  },
  csrf: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CSRF-Token',
    description: 'The CSRF token of the session, from the page /keys.',
  },
}

const errorSchema = {
  type: 'object',
  required: ['error', 'requestId'],
  properties: {
    error: { type: 'string', description: 'Message for people: what is wrong and how to fix it.' },
    code: { type: 'string', description: 'Error code for clients to branch on; absent for some errors.' },
    requestId: { type: 'string', description: 'Id of this request in the server log.' },
  },
}

function describeOperation(tool: Declaration, route: Route, definitions: JsonObject): JsonObject {
  const input = hoistDefinitions(inputSchema(tool, route), `${tool.name}_input`, definitions)
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
  const fieldOf = (name: string) => route.legacy?.fieldNames?.[name] ?? name
  const pathFields = new Set(names.map(fieldOf))
  const properties = (input['properties'] ?? {}) as Record<string, JsonObject>
  const bodyOrQueryFields = Object.entries(properties).filter(([name]) => !pathFields.has(name))
  const required = ((input['required'] ?? []) as string[]).filter((name) => !pathFields.has(name))
  const pathParameters = names.map((name) =>
    describeParameter('path', name, { schema: properties[fieldOf(name)], required: true }),
  )
  const query = hasBody(route) ? [] : bodyOrQueryFields
  return {
    operationId: tool.name,
    summary: tool.title,
    description: tool.description,
    tags: [tagOf(route)],
    'x-scope': tool.scope,
    'x-rate-bucket': tool.rateBucket,
    ...(route.credential === 'session'
      ? { security: [route.method === 'GET' ? sessionSecurity : { ...sessionSecurity, csrf: [] }] }
      : {}),
    ...(route.credential === 'none' ? { security: [] } : {}),
    parameters: [
      ...pathParameters,
      ...query.map(([name, schema]) => describeParameter('query', name, { schema, required: required.includes(name) })),
      ...(tool.idempotent ? [idempotencyHeader] : []),
      ...(route.ifMatch ? [ifMatchHeader] : []),
    ],
    ...(hasBody(route) && bodyOrQueryFields.length > 0
      ? { requestBody: describeBody({ ...input, properties: Object.fromEntries(bodyOrQueryFields), required }) }
      : {}),
    responses: describeResponses(tool, route, definitions),
  }
}

/** The event stream of a list, documented besides the list itself. */
function describeEventStream(list: JsonObject, { eventName, listField }: NonNullable<Route['events']>): JsonObject {
  const stream = { 'text/event-stream': { schema: { type: 'string' } } }
  const description = `Stream server-sent events: all current ${listField}, then each one that changes, as a \`${eventName}\` event with its JSON as data.`
  return {
    ...list,
    operationId: `${String(list['operationId'])}_events`,
    summary: `${String(list['summary'])}: changes`,
    description,
    parameters: [...(list['parameters'] as JsonObject[]), lastEventIdHeader],
    responses: { ...(list['responses'] as JsonObject), 200: { description: 'Event stream', content: stream } },
  }
}

const lastEventIdHeader = {
  in: 'header',
  name: 'Last-Event-ID',
  required: false,
  description: 'Id of the last event of an earlier stream; entries unchanged since then are not sent again.',
  schema: { type: 'string' },
}

const sessionSecurity = { session: [] }

const idempotencyHeader = {
  in: 'header',
  name: 'Idempotency-Key',
  required: false,
  description: 'Send the same key again to retry a request whose response was lost. Valid for 24 hours.',
  schema: { type: 'string', maxLength: 255 },
}

const ifMatchHeader = {
  in: 'header',
  name: 'If-Match',
  required: false,
  description: 'The expected current version, in quotes. A different current version is refused with 412.',
  schema: { type: 'string', pattern: '^"[0-9]+"$' },
}

function describeParameter(
  location: 'path' | 'query',
  name: string,
  detail: { schema: JsonObject | undefined; required: boolean },
): JsonObject {
  const { description, ...schema } = detail.schema ?? { type: 'string' }
  return { in: location, name, required: detail.required, ...(description ? { description } : {}), schema }
}

function describeBody(schema: JsonObject): JsonObject {
  return { required: true, content: { 'application/json': { schema } } }
}

function inputSchema(tool: Declaration, route: Route): JsonObject {
  const schema: JsonObject = z.toJSONSchema(route.input ?? tool.input, { io: 'input', unrepresentable: 'any' })
  // Most routes ignore unknown fields, even if the tool refuses them.
  if (!route.rejectUnknownFields) delete schema['additionalProperties']
  return schema
}

function describeResponses(tool: Declaration, route: Route, definitions: JsonObject): JsonObject {
  const refusals = commonRefusals(tool, route).map((code) => [httpErrorMappings[code].status, refusedResponse])
  if (route.file) return { ...describeFile(route.file), ...Object.fromEntries(refusals), default: refusedResponse }
  const success =
    typeof route.status === 'number' ? [route.status] : route.status ? (route.legacy?.statuses ?? [201, 207]) : [200]
  const converted = z.toJSONSchema(tool.output, { io: 'output', unrepresentable: 'any' })
  const schema = bodySchema(hoistDefinitions(converted, `${tool.name}_output`, definitions), route)
  const ok = { description: 'Success', content: { 'application/json': { schema } } }
  return {
    ...Object.fromEntries(success.map((status) => [status, ok])),
    ...Object.fromEntries(refusals),
    default: refusedResponse,
  }
}

/** A file, a range of it, or that the client has it already. */
function describeFile({ contentTypes }: NonNullable<Route['file']>): JsonObject {
  const content = Object.fromEntries(contentTypes.map((type) => [type, {}]))
  return {
    200: { description: 'The file, as an attachment', content },
    206: { description: 'The range that was asked for', content },
    304: { description: 'The file is that of If-None-Match' },
    416: { description: 'The file has no such range' },
  }
}

const refusedResponse = {
  description: 'Error',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
}

function commonRefusals(tool: Declaration, { credential, legacy }: Route): ErrorCode[] {
  if (credential === 'none') return ['INVALID_INPUT']
  const invalidInput: ErrorCode[] = legacy?.refusalBody ? [] : ['INVALID_INPUT']
  const rateLimited: ErrorCode[] = tool.rateBucket === 'none' ? [] : ['RATE_LIMITED']
  return ['UNAUTHENTICATED', 'INSUFFICIENT_SCOPE', ...invalidInput, ...rateLimited]
}

function bodySchema(schema: JsonObject, { legacy }: Route): JsonObject {
  const bodyField = legacy?.bodyField
  return bodyField === undefined ? schema : ((schema['properties'] as Record<string, JsonObject>)[bodyField] ?? {})
}

function tagOf({ path }: Route): string {
  return path.split('/')[1] ?? ''
}

/** Moves `$defs` of a schema into the document's component schemas, rewrites references and removes `$schema`. */
function hoistDefinitions(
  { $schema: _, $defs, ...schema }: JsonObject,
  prefix: string,
  definitions: JsonObject,
): JsonObject {
  const rewriteReferences = (part: unknown): JsonObject =>
    JSON.parse(JSON.stringify(part).replaceAll('"#/$defs/', `"#/components/schemas/${prefix}`))
  for (const [name, definition] of Object.entries($defs ?? {}))
    definitions[prefix + name] = rewriteReferences(definition)
  return rewriteReferences(schema)
}
