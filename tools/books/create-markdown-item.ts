import { createMarkdownItem } from '../../src/writing/create-markdown-item.ts'
import { CreatedItem, CreateMarkdownItem } from '../../src/books/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'create_markdown_item',
  title: 'Create a Markdown book',
  description:
    'Create a book from Markdown. For more than 1,000,000 bytes, create the first part, then append the rest.',
  group: 'books',
  scope: 'library:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  rateBucket: 'content_writes',
  // In JSON, every character of the content may be escaped.
  rest: { method: 'POST', path: '/items/markdown', status: 201, maxBytes: 6_100_000 },
  idempotent: true,
  justification: {
    effect: 'Adds a book; changes nothing that exists.',
    repeat: 'A second call adds a second book, unless it carries the same idempotencyKey.',
  },
  example: { title: 'Notes on memory', description: 'What I learnt', content: '# Start\n\nText.' },
  refusals: ['PLAN_LIMIT_EXCEEDED'],
  input: CreateMarkdownItem,
  output: CreatedItem,
  run: createMarkdownItem,
})
