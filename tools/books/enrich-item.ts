import { EnrichedItem, EnrichItem, EnrichItemBody } from '../../src/books/enrich-schema.ts'
import { enrichItem } from '../../src/books/enrich-item.ts'
import { defineTool } from '../../src/tool.ts'

export default defineTool({
  name: 'enrich_item',
  title: 'Enrich a book',
  description: 'Set title, author, description, outline or prompts of a book. What is not given stays.',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  bucket: 'none',
  rest: { method: 'PATCH', path: '/items/enrich', input: EnrichItemBody, maxBytes: 8 * 1024 * 1024 },
  input: EnrichItem,
  output: EnrichedItem,
  run: enrichItem,
})
