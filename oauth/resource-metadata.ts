import type { Hono } from 'hono'
import { cors } from 'hono/cors'
import type { Env } from '../src/transport/request-state.ts'
import { scopes } from '../src/core/scopes.ts'

/** Serves the protected resource metadata of the MCP URL (RFC 9728), at the well-known path with and without its path. */
export function mountResourceMetadata(
  app: Hono<Env>,
  { baseUrl, resource }: { baseUrl: string; resource: string },
): void {
  const document = {
    resource,
    authorization_servers: [baseUrl],
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
    resource_name: 'Lectern',
    resource_documentation: `${baseUrl}/docs`,
  }
  const path = '/.well-known/oauth-protected-resource'
  for (const documentPath of [path, `${path}${new URL(resource).pathname}`]) {
    app.use(documentPath, cors())
    app.get(documentPath, (c) => {
      c.get('requestState').operationName = 'resource_metadata'
      return c.json(document, 200, { 'Cache-Control': 'public, max-age=300' })
    })
  }
}
