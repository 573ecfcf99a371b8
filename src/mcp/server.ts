import {
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type McpHttpHandler,
} from '@modelcontextprotocol/server'
import type { Log } from '../core/context.ts'
import { encodeJson } from '../runtime/json-encoder.ts'
import { createArgumentReader } from './arguments.ts'
import { acceptedSchema } from './input-schema.ts'
import { listTools, type ListedTool } from './list-tools.ts'
import type { DirectRequest } from './direct-request.ts'
import type { McpExtension } from './extension.ts'
import { toSdkResult, type ToolResult } from './tool-result.ts'
import type { BoundTool } from '../core/tool.ts'

/** Runs one tool for the caller of an HTTP request. */
export type ToolCaller = (tool: BoundTool, args: unknown) => Promise<ToolResult>

export interface McpServer {
  /** Handles a request with the SDK; `call` runs tools as the caller of this request. */
  serve(request: Request, body: unknown, call: ToolCaller): Promise<Response>
  /** Answers `tools/list` or `tools/call` without the SDK; null for a call that needs it. */
  answerDirectly(plain: DirectRequest, call: ToolCaller): Promise<Response> | null
  findTool(name: unknown): BoundTool | undefined
  /** The input of a tool as JSON Schema. */
  inputSchema(tool: BoundTool): Record<string, unknown>
  /** The arguments of a call without the placeholders that models send for omitted arguments. */
  readArguments(tool: BoundTool, args: unknown): unknown
}

export interface McpServerOptions {
  tools: readonly BoundTool[]
  name: string
  version: string
  instructions: string
  log: Log
  extension?: McpExtension | undefined
}

/** How long clients may cache the tool list, which changes only with a new server version. */
const toolListTtlMs = 5 * 60 * 1000

/** Serves the tools over MCP, protocol revisions 2026-07-28 and 2025-11-25 and older, without sessions. */
export function createMcpServer(options: McpServerOptions): McpServer {
  const { tools, name, version, log, extension } = options
  const listedTools = listTools(tools)
  const offered = tools.filter(({ mcp }) => mcp !== false)
  const toolsByName = new Map(offered.map((tool) => [tool.name, tool]))
  const inputSchemas = new Map(offered.map((tool) => [tool.name, acceptedSchema(tool)]))
  const argumentReaders = new Map(offered.map((tool) => [tool.name, createArgumentReader(tool)]))
  const callers = new WeakMap<Request, ToolCaller>()
  const identity = { name, version }
  const createSdkServer = createSdkServerFactory(options, { listedTools, toolsByName, callers })
  const handler: McpHttpHandler = createMcpHandler(({ era }) => createSdkServer(era), {
    legacy: 'stateless',
    onerror: (err) => log.debug({ err }, 'mcp message refused'),
  })
  const listResponses = {
    modern: precomputeResponse(withServerInfo(toListResult(listedTools, 'modern'), identity)),
    legacy: precomputeResponse(toListResult(listedTools, 'legacy')),
  }
  return {
    findTool: (toolName) => (typeof toolName === 'string' ? toolsByName.get(toolName) : undefined),
    inputSchema: (tool) => inputSchemas.get(tool.name) ?? {},
    readArguments: (tool, args) => argumentReaders.get(tool.name)?.(args) ?? args,
    async serve(request, body, call) {
      callers.set(request, call)
      const served = await extension?.serveLegacy?.(request, body, () => createSdkServer('legacy'))
      return served ?? handler.fetch(request, { parsedBody: body })
    },
    answerDirectly({ id, method, params, era }, call) {
      if (method === 'tools/list') return Promise.resolve(jsonResponse(200, listResponses[era](id)))
      const tool = typeof params.name === 'string' ? toolsByName.get(params.name) : undefined
      if (!tool) return Promise.resolve(rpcError(id, unknownToolMessage(params.name)))
      if (extension?.isInteractive(tool)) return null
      return call(tool, params.arguments ?? {}).then((result) =>
        rpcResult(id, era === 'modern' ? withServerInfo(result, identity) : result),
      )
    },
  }
}

interface ServerParts {
  listedTools: ListedTool[]
  toolsByName: ReadonlyMap<string, BoundTool>
  callers: WeakMap<Request, ToolCaller>
}

/** Returns a function that creates the SDK's server for one request. */
function createSdkServerFactory({ name, version, instructions, extension }: McpServerOptions, parts: ServerParts) {
  const { listedTools, toolsByName, callers } = parts
  const { capabilities, ...rest } = extension?.options ?? {}
  const options = { ...rest, capabilities: { tools: {}, ...capabilities }, instructions }
  return (era: 'modern' | 'legacy'): Server => {
    const server = new Server({ name, version }, options)
    server.setRequestHandler('tools/list', () => toListResult(listedTools, era))
    server.setRequestHandler('tools/call', async ({ params }, exchange) => {
      const tool = toolsByName.get(params.name)
      const call = exchange.http?.req && callers.get(exchange.http.req)
      if (!tool || !call) throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownToolMessage(params.name))
      const run = async () => toSdkResult(await call(tool, params.arguments ?? {}))
      return extension?.isInteractive(tool) ? extension.runInteractive(exchange, run) : run()
    })
    extension?.registerHandlers(server)
    return server
  }
}

function toListResult(tools: ListedTool[], era: 'modern' | 'legacy') {
  return era === 'modern' ? { tools, ttlMs: toolListTtlMs, cacheScope: 'public' as const } : { tools }
}

/** Adds the fields that revision 2026-07-28 requires in every result. */
function withServerInfo<T extends object>(result: T, identity: object) {
  return { ...result, resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': identity } }
}

function unknownToolMessage(name: unknown): string {
  return `Unknown tool: ${typeof name === 'string' ? name.slice(0, 80) : 'no name given'}. tools/list names them all.`
}

function rpcResult(id: string | number, result: object): Response {
  return jsonResponse(200, encodeJson({ jsonrpc: '2.0', id, result }))
}

/**
 * Number of request ids for which responses are kept. Clients count their requests from 0 or 1; copying the 60 kB of the
 * tool list for each response would increase the CPU time of `tools/list` by a fifth.
 */
const lowIds = 32

function isLowId(id: string | number): id is number {
  return Number.isInteger(id) && Number(id) >= 0 && Number(id) < lowIds
}

/** Encodes a constant result once; the returned function adds the request id. */
function precomputeResponse(result: object): (id: string | number) => Uint8Array {
  const bytes = Buffer.from(JSON.stringify(result))
  const build = (id: string | number) =>
    Buffer.concat([Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`), bytes, Buffer.from('}')])
  const responses: Uint8Array[] = []
  return (id) => (isLowId(id) ? (responses[id] ??= build(id)) : build(id))
}

function rpcError(id: string | number, message: string): Response {
  return jsonResponse(
    200,
    JSON.stringify({ jsonrpc: '2.0', id, error: { code: ProtocolErrorCode.InvalidParams, message } }),
  )
}

function jsonResponse(status: number, body: string | Uint8Array): Response {
  return new Response(body, { status, headers: { 'Content-Type': 'application/json' } })
}
