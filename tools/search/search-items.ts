import { FoundItems, SearchItems, SearchItemsQuery } from '../../src/search/schema.ts'
import { searchItems } from '../../src/search/search-items.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'search_items',
  title: 'Search books',
  description: 'Search books and their pages by words in title, author, description, chapters and text. Costs no read.',
  group: 'search',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  rateBucket: 'searches',
  rest: { method: 'GET', path: '/items/search', input: SearchItemsQuery },
  example: {
    query: 'garbage collection',
    like: 'BOOK:12',
    title: 'runtime',
    author: 'Jones',
    shelf: 'to-read',
    in: 'BOOK',
    before: '2026-06',
    after: '2024',
    limit: 5,
    cursor: 'CURSOR',
    detail: 'detailed',
  },
  refusals: ['NOT_FOUND', 'FORBIDDEN', 'ITEM_LOCKED'],
  input: SearchItems,
  output: FoundItems,
  run: searchItems,
})
