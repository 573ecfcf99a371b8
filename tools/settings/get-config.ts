import { NoInput } from '../../src/accounts/schema.ts'
import { getConfig } from '../../src/settings/config.ts'
import { Config } from '../../src/settings/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'get_config',
  title: 'Get settings',
  description: "Get the settings of the account's coding agents. Unset settings are omitted.",
  group: 'settings',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  mcp: false,
  rest: { method: 'GET', path: '/user/config' },
  input: NoInput,
  output: Config,
  run: getConfig,
})
