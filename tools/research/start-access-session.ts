import { StartAccessSession, StartedAccessSession } from '../../src/research/schema.ts'
import { startAccessSession } from '../../src/research/sessions.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'start_access_session',
  title: 'Start a research session',
  description: 'Start a research session. Pass its sessionId to reading calls to group them.',
  group: 'research',
  scope: 'library:read',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  rateBucket: 'none',
  rest: {
    method: 'POST',
    path: '/access/session',
    status: 201,
    legacy: { codesWithoutCode: ['INVALID_INPUT', 'RATE_LIMITED'] },
  },
  idempotent: true,
  justification: {
    effect: 'Opens a session that groups reads; changes nothing that exists.',
    repeat: 'Each call opens another session, unless it carries the same idempotencyKey.',
  },
  example: { intent: 'How to size a connection pool' },
  refusals: ['RATE_LIMITED'],
  input: StartAccessSession,
  output: StartedAccessSession,
  run: startAccessSession,
})
