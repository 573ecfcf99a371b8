import { randomUUID } from 'node:crypto'
import {
  isInitializeRequest,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
  type Server,
} from '@modelcontextprotocol/server'
import type { McpExtension } from '../../src/mcp/extension.ts'
import type { ServerExtensions } from '../../src/app/start.ts'
import { inputFixtures, stateCodec } from './input-fixtures.ts'
import { contentFixtures } from './content-fixtures.ts'
import { interactiveTools, exchangeStorage } from './define-fixture.ts'
import { legacyFixtures } from './legacy-fixtures.ts'
import { addPromptsAndResources } from './prompts-and-resources.ts'

/** The value of `LECTERN_PROFILE` with which a test server adds the suite's fixtures. */
export const profileName = 'conformance'

/**
 * The tools that the official suite calls, added to Lectern's own. With `sessions`, older clients get sessions, so that
 * the server can send them requests during a call. Without it, they are served like in production.
 */
export function conformanceProfile({ sessions }: { sessions: boolean }): ServerExtensions {
  if (process.env['LECTERN_PROFILE'] !== profileName) return {}
  const extension: McpExtension = {
    options: {
      capabilities: { prompts: {}, resources: { subscribe: true }, completions: {}, logging: {} },
      requestState: { verify: stateCodec.verify },
      cacheHints: Object.fromEntries(
        (['prompts/list', 'resources/list', 'resources/templates/list', 'resources/read'] as const).map((method) => [
          method,
          { ttlMs: 60_000, cacheScope: 'public' as const },
        ]),
      ),
    },
    registerHandlers: addPromptsAndResources,
    isInteractive: ({ name }) => interactiveTools.has(name),
    runInteractive: (exchange, run) => exchangeStorage.run(exchange, run),
    ...(sessions ? { serveLegacy: serveInSessions() } : {}),
  }
  return { extraTools: [...contentFixtures, ...inputFixtures, ...legacyFixtures], extension }
}

/** Sessions of older clients, implemented by the SDK. */
function serveInSessions(): NonNullable<McpExtension['serveLegacy']> {
  const openSessions = new Map<string, WebStandardStreamableHTTPServerTransport>()
  return async (request, body, newServer) => {
    if (!(await isLegacyRequest(request, body))) return null
    const id = request.headers.get('mcp-session-id')
    if (id !== null) return openSessions.get(id)?.handleRequest(request, { parsedBody: body }) ?? null
    return isInitializeRequest(body)
      ? openSession(openSessions, newServer()).then((it) => it.handleRequest(request, { parsedBody: body }))
      : null
  }
}

async function openSession(openSessions: Map<string, WebStandardStreamableHTTPServerTransport>, server: Server) {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void openSessions.set(id, transport),
  })
  await server.connect(transport)
  return transport
}
