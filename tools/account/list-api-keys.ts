import { ApiKeyList } from '../../src/accounts/api-key-schema.ts'
import { listOwnApiKeys } from '../../src/accounts/own-api-keys.ts'
import { NoInput } from '../../src/accounts/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'list_api_keys',
  title: 'List API keys',
  description: "List the account's API keys, except revoked ones. The keys themselves are not stored.",
  group: 'account',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  mcp: false,
  rest: { method: 'GET', path: '/auth/keys', credential: 'session' },
  input: NoInput,
  output: ApiKeyList,
  run: listOwnApiKeys,
})
