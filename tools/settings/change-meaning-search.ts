import { defineTool } from '../../src/core/tool.ts'
import { changeMeaningSearch } from '../../src/embeddings/change-switch.ts'
import { ChangeMeaningSearch, MeaningSearch } from '../../src/embeddings/schema.ts'

export default defineTool({
  name: 'change_meaning_search',
  title: 'Change the search by meaning',
  description:
    'Switch the search by meaning off or on for your books. Off: none of their text is sent any more, and what was made of it is removed.',
  group: 'settings',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'settings_writes',
  mcp: false,
  rest: { method: 'PUT', path: '/account/meaning-search' },
  input: ChangeMeaningSearch,
  output: MeaningSearch,
  run: changeMeaningSearch,
})
