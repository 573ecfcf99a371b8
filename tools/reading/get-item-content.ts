import { getItemContent } from '../../src/reading/get-item-content.ts'
import { renderContent } from '../../src/reading/render-text.ts'
import { GetItemContent, ItemContent, WholeItemContent, ItemContentPath } from '../../src/reading/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'get_item_content',
  title: 'Get a whole book',
  description: 'Get a whole book as one text with its version, to edit it. To read, prefer read_items. Costs one read.',
  group: 'reading',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  rateBucket: 'content_reads',
  mcp: { text: renderContent },
  rest: {
    method: 'GET',
    path: '/items/{itemId}/content',
    input: ItemContentPath,
    output: WholeItemContent,
    legacy: {
      fieldNames: { itemId: 'id' },
      codesWithoutCode: ['NOT_FOUND'],
    },
  },
  justification: { effect: "Returns a text; changes only the account's read count." },
  example: { id: 'BOOKID', fromPage: 12, sessionId: 'SESSIONID' },
  refusals: ['NOT_FOUND', 'ITEM_LOCKED', 'READ_LIMIT_EXCEEDED'],
  input: GetItemContent,
  output: ItemContent,
  outputValidated: true,
  run: getItemContent,
})
