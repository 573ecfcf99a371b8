import { NoInput } from '../../src/accounts/schema.ts'
import { defineTool } from '../../src/core/tool.ts'
import { getMeaningSearch } from '../../src/embeddings/change-switch.ts'
import { MeaningSearch } from '../../src/embeddings/schema.ts'

export default defineTool({
  name: 'get_meaning_search',
  title: 'Get the search by meaning',
  description: 'Get whether pages of your books are found by meaning too, not by words alone.',
  group: 'settings',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  mcp: false,
  rest: { method: 'GET', path: '/account/meaning-search' },
  input: NoInput,
  output: MeaningSearch,
  run: getMeaningSearch,
})
