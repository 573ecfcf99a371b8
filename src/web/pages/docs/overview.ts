import { html } from 'hono/html'
import { scopes } from '../../../core/scopes.ts'
import type { Html } from '../../components/html.ts'
import { scopeDescriptions } from '../../format/scope-descriptions.ts'
import { codeBlock, jsonBlock, shellBlock } from './parts/code-block.ts'
import { guides } from './guides/index.ts'
import type { GuideContext } from './guides/guide.ts'
import { withJson, withKey } from './guides/shell.ts'
import { groupPath, type ApiReference } from './reference/read-reference.ts'

/** The first page of the reference: what the API is, and the first call. */
export function overview(context: GuideContext, isSignedIn: boolean): Html {
  const { reference, baseUrl } = context
  return html`<h1>API reference</h1>
    <p class="lead">
      Lectern hosts a library of books that people and agents read. Programs can find, read, add and write books over
      REST or, as agents, over MCP.
    </p>
    ${addresses(baseUrl)}
    <h2 id="start">The first call</h2>
    ${firstCall(context, isSignedIn)}
    <h2 id="authentication">Authentication</h2>
    ${authentication(context)}
    <h2 id="answers">Requests and answers</h2>
    <ul>
      <li>
        Bodies are JSON (<code>Content-Type: application/json</code>), times are ISO 8601 in UTC, ids are opaque
        strings.
      </li>
      <li>Later versions may add fields to answers. Ignore fields that you do not know.</li>
      <li>
        Over REST, an operation ignores fields that it does not know, unless it says otherwise. Over MCP they are
        refused, with the name of the field that was probably meant.
      </li>
      <li>
        Every refusal has a sentence with the way out and nearly all have a code: see <a href="/docs/errors">errors</a>.
      </li>
      <li>Browsers may call from origins that the administrator of the server allows.</li>
    </ul>
    <h2 id="guides">Guides</h2>
    <ul class="docs-cards">
      ${guides.map(({ slug, label, lead }) => card({ path: `/docs/${slug}`, title: label, words: lead }))}
    </ul>
    <h2 id="operations">Operations</h2>
    <ul class="docs-cards">
      ${reference.groups.map((group) =>
        card({
          path: groupPath(group),
          title: group.title,
          words: group.description || group.operations.map(({ title }) => title).join(', '),
          count: group.operations.length,
        }),
      )}
    </ul>
    <p>
      Programs read the same from the <a href="/api/v1/openapi.json">OpenAPI 3.1 description</a>, from which clients for
      most languages can be generated.
    </p>`
}

function card({ path, title, words, count }: { path: string; title: string; words: string; count?: number }): Html {
  return html`<li>
    <a href="${path}">${title}</a>
    ${count === undefined ? '' : html`<span class="field-type">${count === 1 ? '1 operation' : `${count} operations`}</span>`}
    <p>${words}</p>
  </li>`
}

function addresses(baseUrl: string): Html {
  return html`<dl class="docs-addresses">
    <div>
      <dt>REST</dt>
      <dd><code data-copy>${baseUrl}/api/v1</code></dd>
    </div>
    <div>
      <dt>MCP</dt>
      <dd><code data-copy>${baseUrl}/api/v1/mcp</code> <a href="/docs/mcp">How to connect</a></dd>
    </div>
  </dl>`
}

function firstCall({ reference, baseUrl }: GuideContext, isSignedIn: boolean): Html {
  const api = `${baseUrl}/api/v1`
  return html`<p>
      ${
        isSignedIn
          ? html`<a class="button" href="/keys">Create a key</a>`
          : html`<a class="button" href="/sign-in?next=/keys">Sign in to create a key</a>`
      }
    </p>
    <p>Keep it where only your program reads it. All examples here take it from the environment:</p>
    ${codeBlock({ source: 'export LECTERN_KEY=…', language: 'bash' })}
    <p>Ask who you are:</p>
    ${shellBlock(`curl -s ${api}/auth/whoami \\
  ${withKey}`)}
    ${recordedAnswer(reference)}
    <p>Write a small book, and read its first page:</p>
    ${shellBlock(`BOOK=$(curl -s ${api}/items/markdown \\
  ${withKey} \\
  ${withJson} \\
  -d '{"title": "Swifts", "content": "# Sleep\\n\\nOn the wing.\\n\\n# Food\\n\\nInsects."}' |
  jq -r .id)

curl -s ${api}/items/batch \\
  ${withKey} \\
  ${withJson} \\
  -d '{"items": [{"id": "'$BOOK'", "pages": "1"}]}'`)}
    <p class="quiet-text">
      The examples use <a href="https://jqlang.org" rel="noreferrer">jq</a> to extract values from answers.
    </p>`
}

function authentication({ oauth, baseUrl }: GuideContext): Html {
  return html`<p>
      Programs send an API key with every request: <code>Authorization: Bearer KEY</code>. A key belongs to one account,
      has the scopes that were chosen when it was created, and works until it is revoked or expires.
    </p>
    ${
      oauth
        ? html`<p>
            Assistants can sign in over MCP by OAuth 2.1 with PKCE instead. They discover everything from
            <a href="/.well-known/oauth-protected-resource"
              ><code>${baseUrl}/.well-known/oauth-protected-resource</code></a
            >, register themselves, and get the scopes that the person grants. Their tokens are for MCP; REST takes keys
            only.
          </p>`
        : ''
    }
    <div class="table-wrap" tabindex="0">
      <table>
        <thead>
          <tr>
            <th scope="col">Scope</th>
            <th scope="col">What it allows</th>
          </tr>
        </thead>
        <tbody>
          ${scopes.map(
            (scope) =>
              html`<tr>
                <th scope="row"><code>${scope}</code></th>
                <td>${scopeDescriptions[scope]}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    <p>
      Without a key the answer is 401, without the scope it is 403
      <a href="/docs/errors#INSUFFICIENT_SCOPE"><code>INSUFFICIENT_SCOPE</code></a
      >, which names the scope.
    </p>`
}

/** The response of the first call, if an example was recorded. */
function recordedAnswer({ groups }: ApiReference): Html | '' {
  const operations = groups.flatMap((group) => group.operations)
  const answer = operations.find(({ id }) => id === 'whoami')?.answers.find(({ example }) => example !== undefined)
  return answer ? jsonBlock(answer.example, 'Answer') : ''
}
