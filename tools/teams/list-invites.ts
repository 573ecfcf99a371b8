import { NoInput } from '../../src/accounts/schema.ts'
import { listInvites } from '../../src/teams/list-invites.ts'
import { OwnInvites } from '../../src/teams/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'list_invites',
  title: 'List invitations',
  description: 'List the team invitations sent to your email address that you can still accept.',
  group: 'teams',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  mcp: false,
  rest: { method: 'GET', path: '/invites' },
  input: NoInput,
  output: OwnInvites,
  run: listInvites,
})
