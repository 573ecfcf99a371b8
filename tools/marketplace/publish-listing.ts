import { publishListing } from '../../src/marketplace/publish-listing.ts'
import { ListingResult, PublishListing } from '../../src/marketplace/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'publish_listing',
  title: 'Publish a book',
  description: 'Publish a book you own on the marketplace, or republish a withdrawn one.',
  group: 'marketplace',
  scope: 'marketplace:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  rateBucket: 'library_writes',
  mcp: false,
  rest: { method: 'POST', path: '/marketplace/listings', status: 201 },
  idempotent: true,
  refusals: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'ITEM_LOCKED', 'PUBLISH_NOT_ALLOWED'],
  input: PublishListing,
  output: ListingResult,
  run: publishListing,
})
