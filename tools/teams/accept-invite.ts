import { acceptInvite } from '../../src/teams/answer-invite.ts'
import { AcceptedInvite, InviteRef } from '../../src/teams/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'accept_invite',
  title: 'Accept an invitation',
  description: 'Accept a team invitation sent to your email address.',
  group: 'teams',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'team_changes',
  mcp: false,
  rest: { method: 'POST', path: '/invites/{token}/accept' },
  refusals: ['NOT_FOUND'],
  input: InviteRef,
  output: AcceptedInvite,
  run: acceptInvite,
})
