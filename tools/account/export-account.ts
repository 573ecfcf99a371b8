import { NoInput } from '../../src/accounts/schema.ts'
import { defineTool } from '../../src/core/tool.ts'
import { exportAccount } from '../../src/export/export-account.ts'
import { FileOutput } from '../../src/reading/item-file-schema.ts'

export default defineTool({
  name: 'export_account',
  title: 'Export the account',
  description:
    'Download everything that the account has as one ZIP archive: books with their files and texts, shelves, research, settings. Costs no reads; one at a time.',
  group: 'account',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  rateBucket: 'content_reads',
  mcp: false,
  rest: { method: 'GET', path: '/account/export', file: { contentTypes: ['application/zip'] } },
  input: NoInput,
  output: FileOutput,
  outputValidated: true,
  run: exportAccount,
})
