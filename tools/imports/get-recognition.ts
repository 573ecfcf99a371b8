import { GetRecognition, RecognitionState } from '../../src/imports/ocr/schema.ts'
import { getRecognition } from '../../src/imports/ocr/get-recognition.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'get_recognition',
  title: 'Get the text recognition of a book',
  description: 'Get how far the recognition (OCR) of the scanned pages of a book you own is.',
  group: 'imports',
  scope: 'library:read',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  mcp: false,
  rest: { method: 'GET', path: '/items/{itemId}/recognition' },
  refusals: ['NOT_FOUND', 'FORBIDDEN'],
  input: GetRecognition,
  output: RecognitionState,
  run: getRecognition,
})
