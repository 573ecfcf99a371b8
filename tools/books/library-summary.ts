import { NoInput } from '../../src/accounts/schema.ts'
import { LibrarySummary } from '../../src/books/schema.ts'
import { summariseLibrary } from '../../src/library/summarise-library.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'library_summary',
  title: 'Summarise the library',
  description: 'Summarise the library: counts, plan limits and recent books. Call it once, before anything else.',
  group: 'books',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  rateBucket: 'none',
  costly: true,
  example: {},
  input: NoInput,
  output: LibrarySummary,
  run: summariseLibrary,
})
