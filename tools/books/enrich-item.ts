import { EnrichedItem, EnrichItem, EnrichItemBody } from '../../src/books/enrich-schema.ts'
import { enrichItem } from '../../src/books/enrich-item.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'enrich_item',
  title: 'Enrich a book',
  description: 'Set title, author, description, outline or prompts of a book. What is not given stays.',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  rest: { method: 'PATCH', path: '/items/enrich', input: EnrichItemBody, maxBytes: 8 * 1024 * 1024 },
  justification: {
    effect: 'Replaces title, author, description and outline of a book; its text stays.',
    repeat: 'The same values again change nothing more.',
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
  input: EnrichItem,
  output: EnrichedItem,
  run: enrichItem,
})
