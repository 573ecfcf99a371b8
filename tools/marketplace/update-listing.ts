import { updateListing } from '../../src/marketplace/update-listing.ts'
import { ListingResult, UpdateListing } from '../../src/marketplace/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'update_listing',
  title: 'Update a listing',
  description: "Change your listing's category, tags or terms. Omitted fields stay unchanged; null clears a field.",
  group: 'marketplace',
  scope: 'marketplace:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  mcp: false,
  rest: { method: 'PATCH', path: '/marketplace/listings/{id}' },
  refusals: ['NOT_FOUND'],
  input: UpdateListing,
  output: ListingResult,
  run: updateListing,
})
