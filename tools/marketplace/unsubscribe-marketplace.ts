import { SubscribeMarketplace, Success } from '../../src/marketplace/schema.ts'
import { unsubscribeMarketplace } from '../../src/marketplace/unsubscribe-marketplace.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'unsubscribe_marketplace',
  title: 'Remove a marketplace book',
  description: 'Take a marketplace book out of the library and off its shelves; frees its slot. Ask the user first.',
  scope: 'marketplace:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  rateBucket: 'none',
  rest: { method: 'DELETE', path: '/marketplace/subscribe' },
  justification: {
    effect: 'Takes a marketplace book out of the library, off its shelves too.',
    repeat: 'A repeat is refused: there is nothing to take out.',
  },
  example: { listingId: 'LISTINGID' },
  input: SubscribeMarketplace,
  output: Success,
  run: unsubscribeMarketplace,
})
