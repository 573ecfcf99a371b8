import { switchAgent } from '../../src/settings/config.ts'
import { SwitchAgent, SwitchedAgent } from '../../src/settings/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'switch_agent',
  title: 'Enable or disable an agent',
  description: 'Enable or disable a coding agent on every machine of the account. Repeating the call changes nothing.',
  group: 'settings',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'settings_writes',
  mcp: false,
  rest: {
    method: 'PATCH',
    path: '/user/config/agents',
    credential: 'apiKey',
    maxBytes: 16 * 1024,
    legacy: {
      codesWithoutCode: ['INVALID_INPUT', 'PAYLOAD_TOO_LARGE'],
    },
  },
  refusals: ['UNKNOWN_AGENT'],
  input: SwitchAgent,
  output: SwitchedAgent,
  run: switchAgent,
})
