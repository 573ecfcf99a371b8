import { NoInput } from '../../src/accounts/schema.ts'
import { listMachines } from '../../src/settings/machines.ts'
import { MachineList } from '../../src/settings/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'list_machines',
  title: 'List machines',
  description: "List the machines that report the account's coding agents, most recently seen first.",
  group: 'settings',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  mcp: false,
  rest: { method: 'GET', path: '/user/agents', credential: 'apiKey' },
  input: NoInput,
  output: MachineList,
  run: listMachines,
})
