import {
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type McpHttpHandler,
} from '@modelcontextprotocol/server'
import type { Log } from '../core/context.ts'
import { encodeJson } from '../runtime/json-encoder.ts'
import { listTools, type ListedTool } from './list-tools.ts'
import type { PlainRequest } from './direct-request.ts'
import type { McpExtension } from './extension.ts'
import { plainResult, type ToolResult } from './tool-result.ts'
import type { BoundTool } from '../core/tool.ts'

/** Runs one tool for the caller of an HTTP request. */
export type ToolCaller = (tool: BoundTool, args: unknown) => Promise<ToolResult>

export interface McpServer {
  /** The SDK's handler for everything that is not answered directly. `call` reaches the tools as this request's caller. */
  serve(request: Request, body: unknown, call: ToolCaller): Promise<Response>
  /** Answers a plain `tools/list` or `tools/call`; null for a call that has to go through the SDK. */
  answer(plain: PlainRequest, call: ToolCaller): Promise<Response> | null
  tool(name: unknown): BoundTool | undefined
  /** What `tools/list` says that a tool takes. */
  inputSchema(tool: BoundTool): Record<string, unknown>
}

export interface McpServerOptions {
  tools: readonly BoundTool[]
  name: string
  version: string
  instructions: string
  log: Log
  extension?: McpExtension | undefined
}

/** How long clients may keep the tool list: it changes only with a new version of the server. */
const ttlMs = 5 * 60 * 1000

/** Serves the tools over MCP, protocol revisions 2026-07-28 and 2025-11-25 and older, without sessions. */
export function createMcpServer(options: McpServerOptions): McpServer {
  const { tools, name, version, log, extension } = options
  const listed = listTools(tools)
  const byName = new Map(tools.filter(({ mcp }) => mcp !== false).map((tool) => [tool.name, tool]))
  const schemas = new Map(listed.map((tool) => [tool.name, tool.inputSchema]))
  const callers = new WeakMap<Request, ToolCaller>()
  const identity = { name, version }
  const newServer = serverMaker(options, { listed, byName, callers })
  const handler: McpHttpHandler = createMcpHandler(({ era }) => newServer(era), {
    legacy: 'stateless',
    onerror: (err) => log.debug({ err }, 'mcp message refused'),
  })
  const listAnswers = {
    modern: preparedResult(stamp(listResult(listed, 'modern'), identity)),
    legacy: preparedResult(listResult(listed, 'legacy')),
  }
  return {
    tool: (toolName) => (typeof toolName === 'string' ? byName.get(toolName) : undefined),
    inputSchema: (tool) => schemas.get(tool.name) ?? {},
    async serve(request, body, call) {
      callers.set(request, call)
      const served = await extension?.older?.(request, body, () => newServer('legacy'))
      return served ?? handler.fetch(request, { parsedBody: body })
    },
    answer({ id, method, params, era }, call) {
      if (method === 'tools/list') return Promise.resolve(json(200, listAnswers[era](id)))
      const tool = typeof params.name === 'string' ? byName.get(params.name) : undefined
      if (!tool) return Promise.resolve(rpcError(id, unknownTool(params.name)))
      if (extension?.converses(tool)) return null
      return call(tool, params.arguments ?? {}).then((result) =>
        rpcResult(id, era === 'modern' ? stamp(result, identity) : result),
      )
    },
  }
}

interface Catalogue {
  listed: ListedTool[]
  byName: ReadonlyMap<string, BoundTool>
  callers: WeakMap<Request, ToolCaller>
}

/** Makes the SDK's server for one request of either era. */
function serverMaker({ name, version, instructions, extension }: McpServerOptions, catalogue: Catalogue) {
  const { listed, byName, callers } = catalogue
  const { capabilities, ...rest } = extension?.options ?? {}
  const options = { ...rest, capabilities: { tools: {}, ...capabilities }, instructions }
  return (era: 'modern' | 'legacy'): Server => {
    const server = new Server({ name, version }, options)
    server.setRequestHandler('tools/list', () => listResult(listed, era))
    server.setRequestHandler('tools/call', async ({ params }, exchange) => {
      const tool = byName.get(params.name)
      const call = exchange.http?.req && callers.get(exchange.http.req)
      if (!tool || !call) throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownTool(params.name))
      const run = async () => plainResult(await call(tool, params.arguments ?? {}))
      return extension?.converses(tool) ? extension.converse(exchange, run) : run()
    })
    extension?.extend(server)
    return server
  }
}

function listResult(tools: ListedTool[], era: 'modern' | 'legacy') {
  return era === 'modern' ? { tools, ttlMs, cacheScope: 'public' as const } : { tools }
}

/** What the revision 2026-07-28 adds to every result. */
function stamp<T extends object>(result: T, identity: object) {
  return { ...result, resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': identity } }
}

function unknownTool(name: unknown): string {
  return `Unknown tool: ${typeof name === 'string' ? name.slice(0, 80) : 'no name given'}. tools/list names them all.`
}

function rpcResult(id: string | number, result: object): Response {
  return json(200, encodeJson({ jsonrpc: '2.0', id, result }))
}

/** Client after client counts its requests from 0 or 1: answers to low ids are made once. */
const lowIds = 32

/** Gives the message that answers a request id with a result that is always the same. */
function preparedResult(result: object): (id: string | number) => Uint8Array {
  const bytes = Buffer.from(JSON.stringify(result))
  const make = (id: string | number) =>
    Buffer.concat([Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`), bytes, Buffer.from('}')])
  const made = Array.from({ length: lowIds }, (_, id) => make(id))
  return (id) => (typeof id === 'number' && made[id]) || make(id)
}

function rpcError(id: string | number, message: string): Response {
  return json(200, JSON.stringify({ jsonrpc: '2.0', id, error: { code: ProtocolErrorCode.InvalidParams, message } }))
}

function json(status: number, body: string | Uint8Array): Response {
  return new Response(body, { status, headers: { 'Content-Type': 'application/json' } })
}
