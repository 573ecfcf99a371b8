import { CreatedApiKey, CreateApiKeyInput } from '../../src/accounts/api-key-schema.ts'
import { createOwnApiKey } from '../../src/accounts/own-api-keys.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'create_api_key',
  title: 'Create an API key',
  description: 'Create an API key for the account. The response shows the key; it cannot be shown again.',
  group: 'account',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  rateBucket: 'settings_writes',
  mcp: false,
  rest: { method: 'POST', path: '/auth/keys', status: 201, credential: 'session' },
  refusals: ['KEY_LIMIT_EXCEEDED'],
  input: CreateApiKeyInput,
  output: CreatedApiKey,
  run: createOwnApiKey,
})
