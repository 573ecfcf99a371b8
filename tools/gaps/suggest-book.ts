import { SuggestBook, SuggestedBook } from '../../src/gaps/schema.ts'
import { suggestBook } from '../../src/gaps/suggest-book.ts'
import { defineTool } from '../../src/core/tool.ts'

export default defineTool({
  name: 'suggest_book',
  title: 'Suggest a book',
  description: 'Suggest a book that the library should have. Ask the user first. A repeat returns alreadySuggested.',
  group: 'gaps',
  scope: 'library:read',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  rateBucket: 'none',
  justification: {
    effect: 'Adds a suggestion for the library; changes nothing that exists.',
    repeat: 'A repeat returns alreadySuggested.',
  },
  example: { title: 'Release It!', author: 'M. Nygard', reason: 'Nothing here covers retries.' },
  input: SuggestBook,
  output: SuggestedBook,
  run: suggestBook,
})
