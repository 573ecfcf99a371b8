import { inviteMember } from '../../src/teams/invite-member.ts'
import { InviteMember, InvitedMember } from '../../src/teams/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'invite_team_member',
  title: 'Invite a team member',
  description:
    'Invite an email address, with or without an account, to a team, or renew its invitation. Requires the role OWNER or ADMIN.',
  group: 'teams',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'team_changes',
  mcp: false,
  rest: {
    method: 'POST',
    path: '/teams/{teamId}/members',
    status: ({ created }) => (created ? 201 : 200),
    legacy: {
      statuses: [200, 201],
    },
  },
  refusals: ['NOT_A_TEAM_MEMBER', 'FORBIDDEN_ROLE'],
  input: InviteMember,
  output: InvitedMember,
  run: inviteMember,
})
