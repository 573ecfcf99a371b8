import { z } from 'zod'
import type { ErrorCode } from '../core/errors.ts'
import { addressOf, type Route, type Declaration } from '../core/tool.ts'
import { httpForms } from '../transport/refusals.ts'
import { hasBody } from './read-input.ts'

interface DocumentOptions {
  tools: readonly Declaration[]
  baseUrl: string
  version: string
}

type Json = Record<string, unknown>

/** The OpenAPI 3.1 description of every declared route, as JSON text; made once at start. */
export function openApiDocument({ tools, baseUrl, version }: DocumentOptions): string {
  const paths: Record<string, Json> = {}
  const definitions: Json = { Error: errorSchema }
  for (const tool of tools) {
    if (!tool.rest) continue
    const path = addressOf(tool.rest)
    const described = operation(tool, tool.rest, definitions)
    paths[path] = { ...paths[path], [tool.rest.method.toLowerCase()]: described }
    if (tool.rest.events) {
      paths[addressOf({ ...tool.rest, ...tool.rest.events })] = { get: watching(described, tool.rest.events) }
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
    description: 'A signed-in browser; `__Host-lectern` on https.',
  },
  csrf: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CSRF-Token',
    description: 'The token of the session, from the page /keys.',
  },
}

const errorSchema = {
  type: 'object',
  required: ['error', 'requestId'],
  properties: {
    error: { type: 'string', description: 'What is wrong and the way out, for people.' },
    code: { type: 'string', description: 'What clients branch on; some refusals have none.' },
    requestId: { type: 'string', description: 'Names this request in the server log.' },
  },
}

function operation(tool: Declaration, route: Route, definitions: Json): Json {
  const input = hoist(inputSchema(tool, route), `${tool.name}_input`, definitions)
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
  const fieldOf = (name: string) => route.rename?.[name] ?? name
  const pathFields = new Set(names.map(fieldOf))
  const properties = (input.properties ?? {}) as Record<string, Json>
  const others = Object.entries(properties).filter(([name]) => !pathFields.has(name))
  const required = ((input.required ?? []) as string[]).filter((name) => !pathFields.has(name))
  const pathParameters = names.map((name) =>
    parameter('path', name, { schema: properties[fieldOf(name)], required: true }),
  )
  const query = hasBody(route) ? [] : others
  return {
    operationId: tool.name,
    summary: tool.title,
    description: tool.description,
    tags: [tagOf(route)],
    'x-scope': tool.scope,
    'x-rate-bucket': tool.bucket,
    ...(route.credential === 'session'
      ? { security: [route.method === 'GET' ? session : { ...session, csrf: [] }] }
      : {}),
    ...(route.credential === 'none' ? { security: [] } : {}),
    parameters: [
      ...pathParameters,
      ...query.map(([name, schema]) => parameter('query', name, { schema, required: required.includes(name) })),
      ...(tool.idempotent ? [idempotencyHeader] : []),
      ...(route.ifMatch ? [ifMatchHeader] : []),
    ],
    ...(hasBody(route) && others.length > 0
      ? { requestBody: body({ ...input, properties: Object.fromEntries(others), required }) }
      : {}),
    responses: responses(tool, route, definitions),
  }
}

/** The stream of a list's entries, beside the list itself. */
function watching(list: Json, { name, each }: NonNullable<Route['events']>): Json {
  const stream = { 'text/event-stream': { schema: { type: 'string' } } }
  const description = `Server-sent events: each of the ${each} as it is now, then each one that changes, as a \`${name}\` event whose data is its JSON.`
  return {
    ...list,
    operationId: `${String(list.operationId)}_events`,
    summary: `${String(list.summary)}: what changes`,
    description,
    parameters: [...(list.parameters as Json[]), lastEventHeader],
    responses: { ...(list.responses as Json), 200: { description: 'A stream', content: stream } },
  }
}

const lastEventHeader = {
  in: 'header',
  name: 'Last-Event-ID',
  required: false,
  description: 'The id of the last event of an earlier stream: what has not changed since is not sent again.',
  schema: { type: 'string' },
}

const session = { session: [] }

const idempotencyHeader = {
  in: 'header',
  name: 'Idempotency-Key',
  required: false,
  description: 'Send the same key again to repeat a request whose answer was lost; honoured for 24 hours.',
  schema: { type: 'string', maxLength: 255 },
}

const ifMatchHeader = {
  in: 'header',
  name: 'If-Match',
  required: false,
  description: 'The version that the change is made for, in quotes; another one than the current is refused with 412.',
  schema: { type: 'string', pattern: '^"[0-9]+"$' },
}

function parameter(
  place: 'path' | 'query',
  name: string,
  detail: { schema: Json | undefined; required: boolean },
): Json {
  const { description, ...schema } = detail.schema ?? { type: 'string' }
  return { in: place, name, required: detail.required, ...(description ? { description } : {}), schema }
}

function body(schema: Json): Json {
  return { required: true, content: { 'application/json': { schema } } }
}

function inputSchema(tool: Declaration, route: Route): Json {
  const schema: Json = z.toJSONSchema(route.input ?? tool.input, { io: 'input', unrepresentable: 'any' })
  // Most routes ignore fields that they do not know, whatever the tool does.
  if (!route.strict) delete schema.additionalProperties
  return schema
}

function responses(tool: Declaration, route: Route, definitions: Json): Json {
  const success =
    typeof route.status === 'number' ? [route.status] : route.status ? (route.statuses ?? [201, 207]) : [200]
  const converted = z.toJSONSchema(tool.output, { io: 'output', unrepresentable: 'any' })
  const schema = bareSchema(hoist(converted, `${tool.name}_output`, definitions), route)
  const ok = { description: 'Success', content: { 'application/json': { schema } } }
  return {
    ...Object.fromEntries(success.map((status) => [status, ok])),
    ...Object.fromEntries(refusalsOf(tool, route).map((code) => [httpForms[code].status, refusal])),
    default: refusal,
  }
}

const refusal = {
  description: 'Refused',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
}

function refusalsOf(tool: Declaration, { credential, onRefused }: Route): ErrorCode[] {
  if (credential === 'none') return ['INVALID_INPUT']
  const invalid: ErrorCode[] = onRefused ? [] : ['INVALID_INPUT']
  const limited: ErrorCode[] = tool.bucket === 'none' ? [] : ['RATE_LIMITED']
  return ['UNAUTHENTICATED', 'INSUFFICIENT_SCOPE', ...invalid, ...limited]
}

function bareSchema(schema: Json, { bare }: Route): Json {
  return bare === undefined ? schema : ((schema.properties as Record<string, Json>)[bare] ?? {})
}

function tagOf({ path }: Route): string {
  return path.split('/')[1] ?? ''
}

/** Moves the definitions inside a schema to the document's own, where references find them, and drops the dialect. */
function hoist({ $schema: _, $defs, ...schema }: Json, prefix: string, definitions: Json): Json {
  const moved = (part: unknown): Json =>
    JSON.parse(JSON.stringify(part).replaceAll('"#/$defs/', `"#/components/schemas/${prefix}`))
  for (const [name, definition] of Object.entries($defs ?? {})) definitions[prefix + name] = moved(definition)
  return moved(schema)
}
