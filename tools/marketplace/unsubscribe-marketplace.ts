import { SubscribeMarketplace, Success } from '../../src/marketplace/schema.ts'
import { unsubscribeMarketplace } from '../../src/marketplace/unsubscribe-marketplace.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'unsubscribe_marketplace',
  title: 'Remove a marketplace book',
  description: 'Remove a marketplace book from the library and its shelves. Frees its slot. Ask the user first.',
  group: 'marketplace',
  scope: 'marketplace:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  rateBucket: 'none',
  rest: { method: 'DELETE', path: '/marketplace/subscribe' },
  justification: {
    effect: 'Removes a marketplace book from the library and its shelves.',
    repeat: 'A repeat is refused: there is nothing to remove.',
  },
  example: { listingId: 'LISTINGID' },
  refusals: ['NOT_FOUND', 'TRANSIENT_CONFLICT'],
  input: SubscribeMarketplace,
  output: Success,
  run: unsubscribeMarketplace,
})
