/** The revision of MCP without sessions, whose requests describe themselves. */
export const modernRevision = '2026-07-28'

/** The last revision before it. */
export const legacyRevision = '2025-11-25'

/** What every request of the modern revision carries in `params._meta`. */
export function metaOf(version: string = modernRevision): Record<string, unknown> {
  return {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
}

/** The headers of a request of the modern revision; `name` is the tool of a call. */
export function modernHeaders(method: string, name?: unknown): Record<string, string> {
  return {
    'MCP-Protocol-Version': modernRevision,
    'Mcp-Method': method,
    ...(typeof name === 'string' ? { 'Mcp-Name': name } : {}),
  }
}

/** What a client of any revision takes. */
export const acceptHeaders = { Accept: 'application/json, text/event-stream' }
