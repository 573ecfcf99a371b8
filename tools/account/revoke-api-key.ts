import { RevokedApiKey, RevokeApiKey } from '../../src/accounts/api-key-schema.ts'
import { revokeOwnApiKey } from '../../src/accounts/own-api-keys.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'revoke_api_key',
  title: 'Revoke an API key',
  description: 'Revoke an API key. Its next call is refused.',
  group: 'account',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  mcp: false,
  rest: { method: 'DELETE', path: '/auth/keys/{keyId}', credential: 'session' },
  refusals: ['NOT_FOUND'],
  input: RevokeApiKey,
  output: RevokedApiKey,
  run: revokeOwnApiKey,
})
