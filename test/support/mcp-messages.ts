/** The stateless protocol revision, whose requests describe themselves. */
export const modernRevision = '2026-07-28'

/** The last revision before it. */
export const legacyRevision = '2025-11-25'

/** The `params._meta` of every request in the stateless revision. */
export function metaOf(version: string = modernRevision): Record<string, unknown> {
  return {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
}

/** The headers of a request in the stateless revision; `name` is the called tool. */
export function modernHeaders(method: string, name?: unknown): Record<string, string> {
  return {
    'MCP-Protocol-Version': modernRevision,
    'Mcp-Method': method,
    ...(typeof name === 'string' ? { 'Mcp-Name': name } : {}),
  }
}

/** The `Accept` header of every revision. */
export const acceptHeaders = { Accept: 'application/json, text/event-stream' }
