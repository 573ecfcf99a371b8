import { declineInvite } from '../../src/teams/answer-invite.ts'
import { InviteRef, Success } from '../../src/teams/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'decline_invite',
  title: 'Decline an invitation',
  description: 'Decline a team invitation sent to your email address.',
  group: 'teams',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  rateBucket: 'team_changes',
  mcp: false,
  rest: { method: 'POST', path: '/invites/{token}/decline' },
  refusals: ['NOT_FOUND'],
  input: InviteRef,
  output: Success,
  run: declineInvite,
})
