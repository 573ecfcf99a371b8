import { browseMarketplace } from '../../src/marketplace/browse-marketplace.ts'
import { BrowseMarketplace, BrowseQuery, ListingPage, WholeListingPage } from '../../src/marketplace/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'browse_marketplace',
  title: 'Browse the marketplace',
  description:
    'Browse books that others published, to find what the library lacks. Add one only when the user wants it.',
  group: 'marketplace',
  scope: 'marketplace:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  rateBucket: 'none',
  costly: true,
  rest: {
    method: 'GET',
    base: '/api',
    path: '/marketplace/browse',
    credential: 'none',
    maxAge: 30,
    input: BrowseQuery,
    output: WholeListingPage,
    legacy: {
      codesWithoutCode: ['INVALID_INPUT'],
    },
  },
  example: {
    query: 'distributed systems',
    tag: 'databases',
    category: 'programming',
    proOnly: false,
    sort: 'popular',
    page: 1,
    limit: 20,
  },
  input: BrowseMarketplace,
  output: ListingPage,
  run: browseMarketplace,
})
