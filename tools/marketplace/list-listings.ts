import { listListings } from '../../src/marketplace/list-listings.ts'
import { NoQuery, OwnListings } from '../../src/marketplace/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'list_listings',
  title: 'List your listings',
  description: 'List the books you have published, including withdrawn ones, newest first.',
  group: 'marketplace',
  scope: 'marketplace:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  costly: true,
  mcp: false,
  rest: { method: 'GET', path: '/marketplace/listings' },
  input: NoQuery,
  output: OwnListings,
  run: listListings,
})
