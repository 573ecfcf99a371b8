import { SubscribeBody, SubscribeMarketplace, Subscribed } from '../../src/marketplace/schema.ts'
import { subscribeMarketplace } from '../../src/marketplace/subscribe-marketplace.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'subscribe_marketplace',
  title: 'Add a marketplace book',
  description:
    'Add a book of the marketplace to the library; free, takes one library slot. A Pro book may give a preview only.',
  scope: 'marketplace:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'library_writes',
  rest: {
    method: 'POST',
    path: '/marketplace/subscribe',
    input: SubscribeBody,
    codesWithoutCode: ['INVALID_INPUT', 'NOT_FOUND'],
  },
  justification: {
    effect: 'Adds a published book to the library; it can be taken out again.',
    repeat: 'A repeat says alreadySubscribed.',
  },
  example: { listingId: 'LISTINGID' },
  input: SubscribeMarketplace,
  output: Subscribed,
  run: subscribeMarketplace,
})
