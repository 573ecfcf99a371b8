import { html } from 'hono/html'
import type { Html } from '../../../components/html.ts'
import { shellBlock } from '../parts/code-block.ts'
import type { Guide, GuideContext } from './guide.ts'
import { allOperations, operationLinks } from './operation-links.ts'
import { withJson, withKey } from './shell.ts'

export const idempotency: Guide = {
  slug: 'idempotency',
  label: 'Idempotency',
  title: 'Idempotency',
  lead: 'How to repeat a call whose answer was lost, without doing the same thing twice.',
  content: idempotencyGuide,
}

function idempotencyGuide({ reference, baseUrl }: GuideContext): Html {
  const url = `${baseUrl}/api/v1/items/markdown`
  const keyed = allOperations(reference).filter(({ tool, isStream }) => tool?.idempotent && !isStream)
  return html`<p>
      When a connection breaks, you cannot know whether the call took effect. You can simply repeat calls that read, and
      calls that set something to a value; each operation says so under “If sent again”. Calls that create or append
      accept a key.
    </p>
    <h2 id="keys">Idempotency keys</h2>
    <p>
      Choose a random key for each thing that you want to happen, and send it in the header
      <code>Idempotency-Key</code>: 1 to 255 visible ASCII characters. Over MCP it is the argument
      <code>idempotencyKey</code>.
    </p>
    ${shellBlock(`KEY=notes-$RANDOM$RANDOM

curl -s ${url} \\
  ${withKey} \\
  ${withJson} \\
  -H "Idempotency-Key: $KEY" \\
  -d '{"title": "Notes on swifts", "content": "# Sleep\\n\\nOn the wing."}'`)}
    <p>
      The same request with the same key creates no second book. It gets the first answer again, with the same
      <code>id</code>:
    </p>
    ${shellBlock(`curl -s ${url} \\
  ${withKey} \\
  ${withJson} \\
  -H "Idempotency-Key: $KEY" \\
  -d '{"title": "Notes on swifts", "content": "# Sleep\\n\\nOn the wing."}'`)}
    <p>
      The same key with another request is refused with
      <a href="/docs/errors#IDEMPOTENCY_KEY_REUSED"><code>IDEMPOTENCY_KEY_REUSED</code></a
      >, so that a mistake in your program loses nothing:
    </p>
    ${shellBlock(
      `curl -s ${url} \\
  ${withKey} \\
  ${withJson} \\
  -H "Idempotency-Key: $KEY" \\
  -d '{"title": "Something else"}'`,
      { label: 'Refused with 422', refused: 422 },
    )}
    <ul>
      <li>
        A key is kept for 24 hours, for your account and this operation. Of the keys that an account uses on one day,
        the last 20,000 are kept.
      </li>
      <li>A refusal is not kept: a call that was refused can be sent again with its key.</li>
    </ul>
    <h2 id="operations">Operations that take a key</h2>
    ${operationLinks(reference, keyed)}
    <h2 id="when">When to send again</h2>
    <p>
      After a broken connection, and after 429 and 503: wait for the seconds in the header
      <code>Retry-After</code> first. Not after another refusal: the same call would be refused again.
      <a href="/docs/errors">Errors</a> says it of each code.
    </p>`
}
