import { describeAccount } from '../../src/library/describe-account.ts'
import { NoInput, Whoami } from '../../src/accounts/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'whoami',
  title: 'Show the account',
  description: 'Show the signed-in account: plan, library size and reads used this month.',
  group: 'account',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  rest: { method: 'GET', path: '/auth/whoami' },
  example: {},
  input: NoInput,
  output: Whoami,
  run: describeAccount,
})
