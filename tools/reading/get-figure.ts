import { getFigure, pictureResult } from '../../src/imports/figures/get-figure.ts'
import { GetFigure, GetFigureRequest, PictureOutput } from '../../src/imports/figures/schema.ts'
import { figureTypes } from '../../src/reading/figure-files.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'get_figure',
  title: 'See a figure',
  description:
    'See a figure that the text of a page names as (figure:ID), or without figure a whole page of a PDF. Free for a book that you have just read.',
  group: 'reading',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  rateBucket: 'content_reads',
  mcp: { result: pictureResult },
  rest: {
    method: 'GET',
    path: '/items/{itemId}/pages/{page}/picture',
    input: GetFigureRequest,
    file: { contentTypes: figureTypes },
  },
  justification: { effect: "Returns a picture; changes only the account's read count." },
  example: { itemId: 'BOOKID', page: 12, figure: '0123456789abcdef' },
  refusals: ['NOT_FOUND', 'FORBIDDEN', 'ITEM_LOCKED', 'READ_LIMIT_EXCEEDED', 'RATE_LIMITED'],
  input: GetFigure,
  output: PictureOutput,
  outputValidated: true,
  run: getFigure,
})
