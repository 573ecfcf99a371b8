import { switchAgent } from '../../src/settings/config.ts'
import { SwitchAgent, SwitchedAgent } from '../../src/settings/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'switch_agent',
  title: 'Switch an agent',
  description: 'Switch a coding agent off or on, on every machine of the account. Repeating it changes nothing.',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'settings_writes',
  mcp: false,
  rest: {
    method: 'PATCH',
    path: '/user/config/agents',
    credential: 'apiKey',
    maxBytes: 16 * 1024,
    codesWithoutCode: ['INVALID_INPUT', 'PAYLOAD_TOO_LARGE'],
  },
  input: SwitchAgent,
  output: SwitchedAgent,
  run: switchAgent,
})
