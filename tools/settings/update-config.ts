import { updateConfig } from '../../src/settings/config.ts'
import { ConfigVersion, UpdateConfig } from '../../src/settings/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'update_config',
  title: 'Update settings',
  description: "Change settings of the account's coding agents. Omitted settings stay unchanged.",
  group: 'settings',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  mcp: false,
  rest: {
    method: 'PATCH',
    path: '/user/config',
    rejectUnknownFields: true,
    legacy: { codesWithoutCode: ['INVALID_INPUT'] },
  },
  input: UpdateConfig,
  output: ConfigVersion,
  run: updateConfig,
})
