import { tools } from '../../tools/index.ts'
import { routePath, type Tool } from '../../src/core/tool.ts'
import { acceptHeaders, metaOf, modernHeaders } from './mcp-messages.ts'
import { isNightly } from './is-nightly.ts'
import type { Person, TestServer } from './server.ts'

export interface ToolResponse {
  ok: boolean
  /** HTTP status; over MCP, that of the envelope. */
  status: number
  /** The parsed result, or the refusal's fields (`code`, `error`, details). */
  body: any
  /** Over MCP, the first text block. */
  text: string
  headers: Headers
}

export interface Transport {
  /** Calls a declared tool with the tool's own input. */
  call(
    server: TestServer,
    person: Pick<Person, 'key'>,
    tool: string,
    input?: Record<string, unknown>,
  ): Promise<ToolResponse>
}

/** Calls the routes of tools. */
export const rest = restTransport()
/** Calls tools over MCP (2026-07-28). */
export const mcp: Transport = { call: callMcp }

const both: [name: 'rest' | 'mcp', transport: Transport][] = [
  ['rest', rest],
  ['mcp', mcp],
]

/**
 * The ways to call a tool; use with `describe.for(transports)('… over %s', ([, transport]) => …)`. On another store than the embedded
 * one it is MCP alone, except in nightly runs: the store does not know the transport.
 */
export const transports = process.env['LECTERN_TEST_MONGODB_URL'] && !isNightly ? both.slice(1) : both

function findTool(name: string): Tool {
  const tool = tools.find((candidate) => candidate.name === name)
  if (!tool) throw new Error(`There is no tool ${name}`)
  return tool
}

/** Calls the routes of tools: path and query values come from the input, the rest is the body. */
export function restTransport(headers: Record<string, string> = {}): Transport {
  return { call: (server, { key }, name, input = {}) => send(server, key, toRequest(name, input, headers)) }
}

/** The REST request for a tool call. */
export function toRequest(name: string, input: Record<string, unknown>, headers: Record<string, string>): RawRequest {
  const route = findTool(name).rest
  if (!route) throw new Error(`${name} has no route`)
  const remaining = { ...input }
  const path = routePath(route).replaceAll(/\{(\w+)\}/g, (_, part: string) => {
    const field = route.legacy?.fieldNames?.[part] ?? part
    const value = remaining[field]
    delete remaining[field]
    return encodeURIComponent(String(value))
  })
  for (const [field, header] of Object.entries(route.headerFields ?? {})) {
    if (remaining[field] !== undefined) headers = { ...headers, [header]: String(remaining[field]) }
    delete remaining[field]
  }
  const file = route.fileBody === undefined ? undefined : remaining[route.fileBody]
  delete remaining[route.fileBody ?? '']
  const inQuery = route.method === 'GET' || route.queryFields !== undefined
  const query =
    inQuery && Object.keys(remaining).length > 0 ? `?${new URLSearchParams(remaining as Record<string, string>)}` : ''
  return { method: route.method, path: `${path}${query}`, body: file ?? (inQuery ? undefined : remaining), headers }
}

export interface RawRequest {
  method: string
  path: string
  body?: unknown
  headers?: Record<string, string>
}

/** Sends one request with a key and parses the JSON response. */
export async function send(
  server: Pick<TestServer, 'baseUrl'>,
  key: string | null,
  request: RawRequest,
): Promise<ToolResponse> {
  const { method, path, body, headers = {} } = request
  const response = await fetch(`${server.baseUrl}${path}`, {
    method,
    headers: {
      ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  const parsed = text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text
  return { ok: response.ok, status: response.status, body: parsed, text, headers: response.headers }
}

let lastRequestId = 0

/** Calls a tool over MCP (2026-07-28) as a plain request. */
async function callMcp(
  server: TestServer,
  { key }: Pick<Person, 'key'>,
  name: string,
  input: Record<string, unknown> = {},
): Promise<ToolResponse> {
  const args = { ...detailedInput(name), ...input }
  const answer = await sendMcp(server, key, { method: 'tools/call', params: { name, arguments: args } })
  const result = answer.body.result
  // A 401 or 403 is a JSON-RPC error with the fields of the API next to it.
  if (!result)
    return { ...answer, ok: false, body: { ...answer.body, error: answer.body.message ?? answer.body.error } }
  const text: string = result.content[0].text
  if (!result.isError) return { ...answer, ok: true, body: result.structuredContent, text }
  const fields = result.content[1] ? JSON.parse(result.content[1].text) : {}
  return { ...answer, ok: false, body: { error: text, ...fields }, text }
}

/** Over MCP rows are concise unless detailed ones are requested; both transports are compared with detailed rows. */
function detailedInput(name: string): Record<string, unknown> {
  const example = tools.find((tool) => tool.name === name)?.example ?? {}
  return Object.hasOwn(example, 'detail') ? { detail: 'detailed' } : {}
}

interface RpcRequest {
  method: string
  params?: Record<string, unknown>
  headers?: Record<string, string>
}

/** Posts one JSON-RPC request of revision 2026-07-28. */
export function sendMcp(server: TestServer, key: string | null, { method, params = {}, headers = {} }: RpcRequest) {
  return send(server, key, {
    method: 'POST',
    path: '/api/v1/mcp',
    body: { jsonrpc: '2.0', id: ++lastRequestId, method, params: { ...params, _meta: metaOf() } },
    headers: {
      ...acceptHeaders,
      ...modernHeaders(method, params['name']),
      ...headers,
    },
  })
}
