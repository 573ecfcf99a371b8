import { ClientDisconnected } from '../core/cancellation.ts'
import type { Actor } from '../core/context.ts'
import { AppError } from '../core/errors.ts'
import { bearerToken } from '../transport/authentication.ts'
import { recheckAfterSlowBody } from '../transport/recheck-caller.ts'
import type { Authenticator, RequestState } from '../transport/request-state.ts'
import { toRefusal, errorResponse } from '../transport/refusals.ts'
import { readJson } from '../transport/read-body.ts'
import { scopes, type Scope } from '../core/scopes.ts'
import type { RawInput, BoundTool, CallPolicies } from '../core/tool.ts'
import { mcpBudget } from './budget.ts'
import { parseDirectRequest } from './direct-request.ts'
import { rpcRefusalBody } from './rpc-refusal.ts'
import { explainInput } from './explain-input.ts'
import { internalErrorResult, refusalResult, toolResult } from './tool-result.ts'
import type { McpServer, ToolCaller } from './server.ts'

export interface McpEndpointOptions {
  server: McpServer
  /** Verifies an API key or an access token for this endpoint; refuses with UNAUTHENTICATED. */
  authenticate(token: string): Promise<Actor>
  /** The turns of messages. */
  messages: CallPolicies['costlyCalls']
  /** URL of the protected resource metadata (RFC 9728); null if OAuth is off. */
  resourceMetadataUrl: string | null
  baseUrl: string
  /** Browser origins that may call the endpoint, besides the base URL's own. */
  allowedOrigins: readonly string[]
}

/** Maximum message size, bytes; a book of 1,000,000 bytes with every character escaped fits. */
const maxMessageBytes = 8 * 1024 * 1024

/** Serves `/api/v1/mcp`. Checks origin, credential, method, message and scope in this order, then handles the message. */
export function createMcpEndpoint({
  server,
  authenticate,
  messages,
  resourceMetadataUrl,
  baseUrl,
  allowedOrigins,
}: McpEndpointOptions) {
  const origins = new Set([new URL(baseUrl).origin, ...allowedOrigins])
  return async (request: Request, requestState: RequestState, authenticator: Authenticator): Promise<Response> => {
    let actor: Actor | null = null
    let body: unknown
    try {
      checkOrigin(request, origins)
      const token = bearerToken(request.headers.get('authorization'))
      actor = await authenticate(token)
      recheckAfterSlowBody(request, () => authenticate(token))
      requestState.actorId = actor.id
      if (request.method !== 'POST') return methodNotAllowed()
      const call = authenticator.createCall(request, requestState, { actor, transport: 'mcp', budget: mcpBudget })
      // Further messages wait unread, and one whose answer nobody reads keeps its turn.
      body = await messages.run({ ...call, endWhenSent: requestState.endWhenSent }, () => readMessage(request))
      if (body === unparsable) return parseError()
      const callTool = createToolCaller({ request, body, requestState, authenticator, actor, server, baseUrl })
      if (actor.credential.kind === 'oauth') requireScopes(server, body, { actor, requestState })
      const direct = parseDirectRequest(request, body)
      return await ((direct && server.answerDirectly(direct, callTool)) ?? server.serve(request, body, callTool))
    } catch (error) {
      const challenge = authChallengeHeaders(error, {
        resourceMetadataUrl,
        actor,
        hasCredential: request.headers.has('authorization'),
      })
      const toBody = await rpcRefusalBody(request, { error, body })
      return errorResponse(error, { ...requestState, headers: challenge, ...(toBody ? { toBody } : {}) })
    }
  }
}

function checkOrigin(request: Request, origins: ReadonlySet<string>): void {
  const origin = request.headers.get('origin')
  if (origin === null || origins.has(origin)) return
  throw new AppError(
    'ORIGIN_NOT_ALLOWED',
    `Requests from the origin ${origin.slice(0, 200)} are not allowed. Ask the administrator to allow it.`,
  )
}

function methodNotAllowed(): Response {
  const body = { jsonrpc: '2.0', error: { code: -32_000, message: 'Method not allowed.' }, id: null }
  return Response.json(body, { status: 405, headers: { Allow: 'POST' } })
}

const unparsable = Symbol('unparsable')

async function readMessage(request: Request): Promise<unknown> {
  try {
    const message = await readJson(request, maxMessageBytes)
    return message === undefined ? unparsable : withoutNullArguments(message)
  } catch (error) {
    if (error instanceof AppError && error.code === 'INVALID_INPUT') return unparsable
    throw error
  }
}

/** Removes null arguments, which models send if they have no arguments, from a message or the messages of a batch. */
function withoutNullArguments(body: unknown): unknown {
  return Array.isArray(body) ? body.map(withoutNullArgumentsIn) : withoutNullArgumentsIn(body)
}

function withoutNullArgumentsIn(message: unknown): unknown {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { arguments?: unknown } | null }
  if (method !== 'tools/call' || params?.arguments !== null) return message
  return { ...(message as object), params: { ...params, arguments: {} } }
}

function parseError(): Response {
  const body = {
    jsonrpc: '2.0',
    error: { code: -32_700, message: 'Parse error: the body is not valid JSON.' },
    id: null,
  }
  return Response.json(body, { status: 400 })
}

interface ToolCallerOptions {
  request: Request
  body: unknown
  requestState: RequestState
  authenticator: Authenticator
  actor: Actor
  server: McpServer
  baseUrl: string
}

/** Calls tools for the caller of a request and converts their errors into tool results. */
function createToolCaller({
  request,
  body,
  requestState,
  authenticator,
  actor,
  server,
  baseUrl,
}: ToolCallerOptions): ToolCaller {
  return async (tool, given) => {
    requestState.operationName = tool.name
    const args = server.readArguments(tool, given)
    try {
      if (!actor.scopes.includes(tool.scope)) {
        const fields = { route: tool.name, actor: actor.id, code: 'INSUFFICIENT_SCOPE' }
        requestState.log.info(fields, 'call refused')
        throw keyLacksScope(tool, baseUrl)
      }
      const call = authenticator.createCall(request, requestState, { actor, transport: 'mcp', budget: mcpBudget })
      const output = await tool.call({ ...call, clientName: clientNameOf(body) ?? call.clientName }, async () =>
        splitIdempotencyKey(tool, args),
      )
      return toolResult(output, { tool, args })
    } catch (error) {
      if (error instanceof ClientDisconnected) throw error
      const refusal = toRefusal(error)
      if (refusal)
        return refusalResult(refusal, requestState.requestId, explainInput(tool, server.inputSchema(tool), refusal))
      requestState.log.error({ err: error }, 'tool failed')
      return internalErrorResult(requestState.requestId)
    }
  }
}

/** The client name in the request's `_meta` (MCP 2026-07-28); null if absent. */
function clientNameOf(body: unknown): string | null {
  const meta = (body as { params?: { _meta?: Record<string, unknown> } }).params?._meta
  const info = meta?.['io.modelcontextprotocol/clientInfo'] as { name?: unknown } | undefined
  return typeof info?.name === 'string' ? info.name.slice(0, 80) : null
}

function splitIdempotencyKey(tool: BoundTool, args: unknown): RawInput {
  if (!tool.idempotent || typeof args !== 'object' || args === null) return { idempotencyKey: null, raw: args }
  const { idempotencyKey, ...raw } = args as { idempotencyKey?: unknown }
  return { idempotencyKey, raw }
}

/**
 * The tool result for an API key without the required scope. HTTP 403 would end the session in most clients, which
 * cannot get another key by themselves.
 */
function keyLacksScope({ name, scope }: BoundTool, baseUrl: string): AppError {
  const keysUrl = `${baseUrl}/keys`
  return new AppError(
    'INSUFFICIENT_SCOPE',
    `${name} needs the scope ${scope}, which this API key does not have. A key that has it can be made at ${keysUrl}.`,
    { details: { code: 'insufficient_scope', requiredScope: scope, keysUrl } },
  )
}

/**
 * Refuses calls with an access token that lacks their scope; the client then asks the user for the scope and calls
 * again.
 */
function requireScopes(
  server: McpServer,
  body: unknown,
  { actor, requestState }: { actor: Actor; requestState: RequestState },
): void {
  for (const message of Array.isArray(body) ? body : [body]) {
    if (message?.method !== 'tools/call') continue
    const tool = server.findTool(message.params?.name)
    if (!tool || actor.scopes.includes(tool.scope)) continue
    requestState.operationName = tool.name
    throw new AppError('INSUFFICIENT_SCOPE', `${tool.name} needs the scope ${tool.scope}.`, {
      details: { code: 'insufficient_scope', requiredScope: tool.scope },
    })
  }
}

function authChallengeHeaders(
  error: unknown,
  options: { resourceMetadataUrl: string | null; actor: Actor | null; hasCredential: boolean },
): Record<string, string> {
  if (!(error instanceof AppError)) return {}
  const resource = options.resourceMetadataUrl === null ? '' : `resource_metadata="${options.resourceMetadataUrl}", `
  if (error.code === 'UNAUTHENTICATED') {
    const reason = options.hasCredential ? `error="invalid_token", ` : ''
    return { 'WWW-Authenticate': `Bearer ${reason}${resource}scope="${scopes.join(' ')}"` }
  }
  if (error.code !== 'INSUFFICIENT_SCOPE') return {}
  const requiredScopes = new Set<Scope>([...(options.actor?.scopes ?? []), error.details['requiredScope'] as Scope])
  const description = `error_description="${error.message.replaceAll('"', "'")}"`
  return {
    'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${[...requiredScopes].join(' ')}", ${resource}${description}`,
  }
}
