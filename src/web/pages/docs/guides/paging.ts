import { html } from 'hono/html'
import type { Html } from '../../../components/html.ts'
import { jsonBlock, shellBlock } from '../parts/code-block.ts'
import type { Operation } from '../reference/read-reference.ts'
import type { Guide, GuideContext } from './guide.ts'
import { allOperations, operationLink, operationLinks } from './operation-links.ts'
import { withJson, withKey } from './shell.ts'

export const paging: Guide = {
  slug: 'paging',
  label: 'Pagination',
  title: 'Pagination',
  lead: 'How to get the rest of a list, of a book, or of many books, when one answer is too small for all of it.',
  content: pagingGuide,
}

const hasParameter = (name: string) => (operation: Operation) =>
  operation.parameters.some((parameter) => parameter.in === 'query' && parameter.name === name)

function pagingGuide({ reference, baseUrl }: GuideContext): Html {
  const api = `${baseUrl}/api/v1`
  const operations = allOperations(reference)
  return html`<p>
      Over REST, most lists are complete. If a list or a text is too long for one answer, the answer says what is
      missing and how to get it. Answers are never cut silently.
    </p>
    <h2 id="cursors">Lists with a cursor</h2>
    <p>
      As long as there is more, the answer has <code>nextCursor</code>. Send it as <code>cursor</code>, with the same
      other parameters. A cursor is opaque: do not construct one yourself. These operations have cursors:
    </p>
    ${operationLinks(reference, operations.filter(hasParameter('cursor')))}
    ${shellBlock(`curl -s -G ${api}/items/search \\
  ${withKey} \\
  -d query=notes -d limit=1 \\
  -o first.json

CURSOR=$(jq -r '.nextCursor // empty' first.json)

# Nothing more if it is empty.
if [ -n "$CURSOR" ]; then
  curl -s -G ${api}/items/search \\
    ${withKey} \\
    -d query=notes -d limit=1 -d cursor=$CURSOR
fi`)}
    <h2 id="numbered">Lists with numbered pages</h2>
    <p>
      The marketplace counts pages from 1; the answer has <code>page</code>, <code>totalPages</code> and
      <code>total</code>.
    </p>
    ${operationLinks(reference, operations.filter(hasParameter('page')))}
    ${shellBlock(`curl -s -G ${baseUrl}/api/marketplace/browse -d page=1 -d limit=20`)}
    <p>
      Value reports skip entries: <code>sessionsOffset</code> and <code>sessionsLimit</code>, until
      <code>hasMore</code> is false.
    </p>
    <h2 id="pages">Pages of books</h2>
    <p>
      ${operationLink(reference, { id: 'read_items', title: 'Reading pages' })} of several books has room for 1,000,000
      bytes. Ask with <code>"partial": true</code>: a book that does not fit is then returned with the pages that do,
      <code>"truncated": true</code>, and <code>nextPages</code>, which you send as <code>pages</code> the next time.
      Without <code>partial</code> such a book is returned without pages, costs no read, and
      <code>truncatedItemIds</code> names it.
    </p>
    ${shellBlock(`BOOK=$(curl -s ${api}/items ${withKey} | jq -r '.items[0].id')

curl -s ${api}/items/batch \\
  ${withKey} \\
  ${withJson} \\
  -d '{"items": [{"id": "'$BOOK'", "pages": "1-20"}], "partial": true}'`)}
    ${jsonBlock(
      { items: [{ id: 'the book', pages: ['pages 1 to 12'], truncated: true, nextPages: '13-20' }] },
      'What a truncated book says',
    )}
    <h2 id="over-mcp">Over MCP</h2>
    <p>
      An answer has at most 60,000 characters, about 20,000 tokens, so that it fits into the context of a model. Every
      list takes <code>cursor</code> there, and a page that is larger than an answer comes in parts:
      <code>12@60000</code> in <code>nextPages</code> means page 12 from character 60,000 on.
    </p>`
}
