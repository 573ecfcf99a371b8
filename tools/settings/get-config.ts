import { NoInput } from '../../src/accounts/schema.ts'
import { getConfig } from '../../src/settings/config.ts'
import { Config } from '../../src/settings/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'get_config',
  title: 'Get the settings',
  description: 'The settings of the coding agents of the account; what is unset is left out.',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  mcp: false,
  rest: { method: 'GET', path: '/user/config' },
  input: NoInput,
  output: Config,
  run: getConfig,
})
