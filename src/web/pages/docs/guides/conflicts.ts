import { html } from 'hono/html'
import type { Html } from '../../../components/html.ts'
import { jsonBlock, shellBlock } from '../parts/code-block.ts'
import type { Guide, GuideContext } from './guide.ts'
import { allOperations, operationLink, operationLinks } from './operation-links.ts'
import { withJson, withKey } from './shell.ts'

export const conflicts: Guide = {
  slug: 'conflicts',
  label: 'Versions and conflicts',
  title: 'Versions and conflicts',
  lead: 'How several people and agents write one book without overwriting each other.',
  content: conflictGuide,
}

function conflictGuide({ reference, baseUrl }: GuideContext): Html {
  const api = `${baseUrl}/api/v1`
  const versioned = allOperations(reference).filter(({ tool }) => tool?.rest?.ifMatch !== undefined)
  return html`<p>
      Each write of a Markdown book makes a new version of the whole book. With every write, send the version that you
      have read. If somebody has changed the book since, the write is refused, nothing is lost, and the refusal says
      what changed.
    </p>
    <h2 id="read">Read the book and its version</h2>
    ${shellBlock(`BOOK=$(curl -s ${api}/items/markdown \\
  ${withKey} \\
  ${withJson} \\
  -d '{"title": "Our notes", "content": "# Swifts\\n\\nThey sleep.\\n\\n# Owls\\n\\nThey do not."}' |
  jq -r .id)

curl -s ${api}/items/$BOOK/content \\
  ${withKey} \\
  -o notes.json

VERSION=$(jq .version notes.json)`)}
    <h2 id="write">Write, naming it</h2>
    <p>
      In the body as <code>expectedVersion</code>, or in the header as <code>If-Match: "7"</code>. The answer has the
      new <code>version</code>, which you send with your next write.
    </p>
    ${shellBlock(`curl -s -X PUT ${api}/items/$BOOK/pages/1 \\
  ${withKey} \\
  ${withJson} \\
  -d '{"content": "# Swifts\\n\\nThey sleep on the wing.", "expectedVersion": '$VERSION'}'`)}
    ${lostChangeGuide(api)}
    <h2 id="undo">Nothing is lost</h2>
    <p>
      ${operationLink(reference, { id: 'list_item_versions', title: 'Earlier versions' })} are listed, the last 50 of
      them, and ${operationLink(reference, { id: 'restore_item_version', title: 'restoring one' })} keeps the present
      text as a version too. A write with the current text creates no version.
    </p>
    <h2 id="operations">Operations that take a version</h2>
    ${operationLinks(reference, versioned)}`
}

/** What happens to a write based on an outdated version. */
function lostChangeGuide(api: string): Html {
  return html`<h2 id="conflict">When somebody was first</h2>
    <p>
      A second write with the same version is based on an outdated text. The refusal is
      <a href="/docs/errors#VERSION_CONFLICT"><code>VERSION_CONFLICT</code></a
      >: 409, or 412 if the version was in <code>If-Match</code>.
    </p>
    ${shellBlock(
      `curl -s -X PUT ${api}/items/$BOOK/pages/2 \\
  ${withKey} \\
  ${withJson} \\
  -d '{"content": "# Owls\\n\\nThey sleep by day.", "expectedVersion": '$VERSION'}'`,
      { label: 'Refused with 409', refused: 409 },
    )}
    ${jsonBlock(
      {
        error: 'The book is at version 2, not 1. Read it again and redo the edit with that version.',
        code: 'VERSION_CONFLICT',
        currentVersion: 2,
        expectedVersion: 1,
        changedPages: [1],
        updatedAt: '2026-11-22T09:41:07.112Z',
        updatedBy: 'Ada Lovelace',
        requestId: '01k9x3…',
      },
      'The refusal',
    )}
    <ol>
      <li>Read the pages in <code>changedPages</code>, or the whole book, again.</li>
      <li>Make your change again, on the current text.</li>
      <li>Write with <code>currentVersion</code>.</li>
    </ol>
    <p>
      A write without a version does not check whether the book has changed. Omit the version only if nobody else writes
      the book.
    </p>`
}
