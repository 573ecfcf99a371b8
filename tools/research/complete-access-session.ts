import { CompleteAccessSession, CompletedAccessSession } from '../../src/research/schema.ts'
import { completeAccessSession } from '../../src/research/sessions.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'complete_access_session',
  title: 'Complete a research session',
  description: 'End a research session when its question is answered. A repeat returns the same result.',
  group: 'research',
  scope: 'library:read',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  rest: {
    method: 'POST',
    path: '/access/session/complete',
    legacy: { codesWithoutCode: ['INVALID_INPUT', 'NOT_FOUND'] },
  },
  justification: {
    effect: 'Ends a session; its reads stay in the report.',
    repeat: 'A completed session stays completed.',
  },
  example: { sessionId: 'SESSIONID' },
  refusals: ['NOT_FOUND'],
  input: CompleteAccessSession,
  output: CompletedAccessSession,
  run: completeAccessSession,
})
