import { getItemContent } from '../../src/reading/get-item-content.ts'
import { renderContent } from '../../src/reading/render-text.ts'
import { GetItemContent, ItemContent, ItemContentPath } from '../../src/reading/schema.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'get_item_content',
  title: 'Get a whole book',
  description: 'A whole book as one text with its version, to edit it. To read, prefer read_items. One read.',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  mcp: { text: renderContent },
  rest: {
    method: 'GET',
    path: '/items/{itemId}/content',
    fieldNames: { itemId: 'id' },
    input: ItemContentPath,
    codesWithoutCode: ['NOT_FOUND'],
  },
  justification: { effect: 'Returns a text; of the account only the count of its reads changes.' },
  example: { id: 'BOOKID', fromPage: 12, sessionId: 'SESSIONID' },
  input: GetItemContent,
  output: ItemContent,
  run: getItemContent,
})
