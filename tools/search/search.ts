import { FoundPages, SearchPages } from '../../src/search/schema.ts'
import { searchPages } from '../../src/search/search-pages.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'search',
  title: 'Search pages',
  description: 'Search pages by their words, best match first. Pass a result id to fetch to read it. Costs no read.',
  group: 'search',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  rateBucket: 'none',
  mcp: { exactShape: true },
  example: { query: 'garbage collection' },
  input: SearchPages,
  output: FoundPages,
  run: searchPages,
})
