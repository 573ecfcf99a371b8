import { SubscribeBody, SubscribeMarketplace, Subscribed } from '../../src/marketplace/schema.ts'
import { subscribeMarketplace } from '../../src/marketplace/subscribe-marketplace.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'subscribe_marketplace',
  title: 'Add a marketplace book',
  description:
    'Add a marketplace book to the library. It is free and takes one library slot. A Pro book may give a preview only.',
  group: 'marketplace',
  scope: 'marketplace:write',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'library_writes',
  rest: {
    method: 'POST',
    path: '/marketplace/subscribe',
    input: SubscribeBody,
    legacy: {
      codesWithoutCode: ['INVALID_INPUT', 'NOT_FOUND'],
    },
  },
  justification: {
    effect: 'Adds a published book to the library; you can remove it again.',
    repeat: 'A repeat returns alreadySubscribed.',
  },
  example: { listingId: 'LISTINGID' },
  refusals: ['NOT_FOUND', 'CONFLICT', 'PLAN_LIMIT_EXCEEDED', 'TRANSIENT_CONFLICT'],
  input: SubscribeMarketplace,
  output: Subscribed,
  run: subscribeMarketplace,
})
