import { EnrichedItem, EnrichItem, EnrichItemBody } from '../../src/books/enrich-schema.ts'
import { enrichItem } from '../../src/books/enrich-item.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'enrich_item',
  title: 'Enrich a book',
  description:
    'Set a book\'s title, author, description, table of contents or prompts. Omitted fields stay; "" clears a text.',
  group: 'books',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  rateBucket: 'enrichment',
  rest: { method: 'PATCH', path: '/items/enrich', input: EnrichItemBody, maxBytes: 8 * 1024 * 1024 },
  justification: {
    effect: "Replaces a book's title, author, description and table of contents; its text stays unchanged.",
    repeat: 'Repeating the same values changes nothing.',
  },
  example: {
    itemId: 'BOOKID',
    title: 'The Art of Memory',
    author: 'F. Yates',
    description: 'How people remembered before print.',
    confidence: 0.9,
    toc: [{ title: 'Preface', page: 1, level: 1 }],
    addPrompt: { prompt: 'Compare the methods', context: 'For students', multiBook: false },
    sampleQuestion: 'What is a memory palace?',
    outcomes: ['Names three methods'],
  },
  refusals: ['NOT_FOUND', 'FORBIDDEN', 'PLAN_LIMIT_EXCEEDED', 'ITEM_LOCKED'],
  input: EnrichItem,
  output: EnrichedItem,
  run: enrichItem,
})
