import { classifyInboundRequest } from '@modelcontextprotocol/server'
import { isObject } from '../core/is-object.ts'

/** A plain request that is answered without an SDK server. */
export interface DirectRequest {
  id: string | number
  method: 'tools/list' | 'tools/call'
  params: { name?: unknown; arguments?: unknown }
  era: 'modern' | 'legacy'
}

const modernRevision = '2026-07-28'
const legacyRevisions = new Set(['2025-11-25', '2025-06-18', '2025-03-26'])
const metaKey = (name: string) => `io.modelcontextprotocol/${name}`

/**
 * Parses a well-formed `tools/list` or `tools/call` whose headers match its body (MCP 2026-07-28, Streamable HTTP).
 * Returns null for everything else, which the SDK handles: handshakes, notifications, batches, streams and invalid
 * messages.
 */
export function parseDirectRequest(request: Request, body: unknown): DirectRequest | null {
  if (!isObject(body) || body['jsonrpc'] !== '2.0') return null
  const { id, method, params = {} } = body
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) return null
  if ((method !== 'tools/list' && method !== 'tools/call') || !isObject(params)) return null
  if (method === 'tools/call' && !isToolCall(params)) return null
  const era = detectEra(request, body, params)
  return era && { id: id as string | number, method, params, era }
}

function isToolCall({ name, arguments: args = {} }: Record<string, unknown>): boolean {
  return typeof name === 'string' && isObject(args)
}

function detectEra(request: Request, body: unknown, params: Record<string, unknown>): DirectRequest['era'] | null {
  const headers = request.headers
  if (!/^application\/json\b/.test(headers.get('content-type') ?? '')) return null
  const version = headers.get('mcp-protocol-version')
  if (version === modernRevision) return isModernRequest(headers, body, params) ? 'modern' : null
  const accept = headers.get('accept') ?? ''
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) return null
  if (version !== null && !legacyRevisions.has(version)) return null
  const route = classifyInboundRequest({
    httpMethod: 'POST',
    body,
    ...(version ? { protocolVersionHeader: version } : {}),
  })
  return route.kind === 'legacy' && route.reason === 'no-claim' ? 'legacy' : null
}

function isModernRequest(headers: Headers, body: unknown, params: Record<string, unknown>): boolean {
  const meta = params['_meta']
  if (!isObject(meta) || meta[metaKey('protocolVersion')] !== modernRevision) return false
  const client = meta[metaKey('clientInfo')]
  if (!isObject(client) || typeof client['name'] !== 'string' || typeof client['version'] !== 'string') return false
  if (!isObject(meta[metaKey('clientCapabilities')])) return false
  const { method } = body as { method: string }
  if (headers.get('mcp-method') !== method) return false
  if (method === 'tools/call' && headers.get('mcp-name') !== params['name']) return false
  const route = classifyInboundRequest({
    httpMethod: 'POST',
    protocolVersionHeader: modernRevision,
    mcpMethodHeader: method,
    ...(typeof params['name'] === 'string' ? { mcpNameHeader: params['name'] } : {}),
    body,
  })
  return route.kind === 'modern' && route.messageKind === 'request'
}
