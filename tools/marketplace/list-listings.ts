import { listListings } from '../../src/marketplace/list-listings.ts'
import { NoQuery, OwnListings } from '../../src/marketplace/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'list_listings',
  title: 'List own listings',
  description: 'The books that the caller has published, withdrawn ones too, newest first.',
  scope: 'marketplace:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  mcp: false,
  rest: { method: 'GET', path: '/marketplace/listings' },
  input: NoQuery,
  output: OwnListings,
  run: listListings,
})
