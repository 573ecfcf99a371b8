import { withdrawListing } from '../../src/marketplace/withdraw-listing.ts'
import { ListingRef, Success } from '../../src/marketplace/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'withdraw_listing',
  title: 'Withdraw a listing',
  description: 'Withdraw your book from the marketplace. Readers who added it keep it and are notified.',
  group: 'marketplace',
  scope: 'marketplace:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  mcp: false,
  rest: { method: 'DELETE', path: '/marketplace/listings/{id}' },
  refusals: ['NOT_FOUND'],
  input: ListingRef,
  output: Success,
  run: withdrawListing,
})
