import { html } from 'hono/html'
import { assistants, copyableText, type Assistant } from './assistants.ts'
import type { Html } from './layout.ts'

/** How to connect assistants to this server, to be copied and pasted; by signing in, where the server offers it. */
export function connectPage({ baseUrl, oauth }: { baseUrl: string; oauth: boolean }): Html {
  const address = `${baseUrl}/api/v1/mcp`
  const available = assistants(address).filter(({ withKey }) => oauth || withKey !== undefined)
  return html`<h1>Connect an assistant</h1>
    <p class="lead">The assistant reads your library over MCP and cites it by page.</p>
    <p>This is the MCP address of this server (Streamable HTTP):</p>
    ${copyableText(address)}
    <p>
      ${
        oauth
          ? html`Paste it into the assistant and sign in. You see what it may do before it may, and take it back under
              <a href="/connections">Connected apps</a>.`
          : html`Assistants sign in with an <a href="#keys">API key</a>.`
      }
    </p>
    <nav class="index" aria-label="Assistants">
      <ul>
        ${available.map(({ id, name }) => html`<li><a href="#${id}">${name}</a></li>`)}
        <li><a href="#keys">API keys</a></li>
      </ul>
    </nav>
    ${available.map((assistant) => assistantSection(assistant, { oauth, reachable: looksPublic(baseUrl) }))}
    ${apiKeySection(oauth)}
    <h2>See that it works</h2>
    <p>
      Ask the assistant: “What is in my library?” It calls <code>library_summary</code> and names your books. If it does
      not, <code>lectern doctor --url ${baseUrl}</code> tells an administrator what stands in the way.
    </p>`
}

function assistantSection(
  { id, name, cloud, signIn, withKey = [] }: Assistant,
  { oauth, reachable }: { oauth: boolean; reachable: boolean },
): Html {
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${name}</h2>
    ${
      cloud && !reachable
        ? html`<p class="caution">
            ${name} connects from its maker’s computers. They cannot reach this address: it needs <code>https</code> and
            a name that the internet knows.
          </p>`
        : ''
    }
    ${oauth ? stepList(signIn) : stepList(withKey)}
    ${
      oauth && withKey.length > 0
        ? html`<details>
            <summary>With an API key instead</summary>
            <p>For machines without a browser; <a href="#keys">make a key</a> first.</p>
            ${stepList(withKey)}
          </details>`
        : ''
    }
  </section>`
}

function stepList(items: readonly Html[]): Html {
  const [only, ...further] = items
  if (only !== undefined && further.length === 0) return html`<div class="steps">${only}</div>`
  return html`<ol class="steps">
    ${items.map((item) => html`<li>${item}</li>`)}
  </ol>`
}

function apiKeySection(oauth: boolean): Html {
  return html`<section aria-labelledby="keys">
    <h2 id="keys">API keys</h2>
    <p>
      ${oauth ? 'For what runs without a person beside it. ' : ''}<a href="/keys">Make a key</a> for each assistant, and
      put it into the environment in which the assistant is started, where nobody else reads it:
    </p>
    ${copyableText('export LECTERN_KEY=YOUR_KEY')}
    <p>Anything that speaks MCP over Streamable HTTP can send it, as this header:</p>
    ${copyableText('Authorization: Bearer YOUR_KEY')}
  </section>`
}

/** Whether the address can be reached from the internet, as far as it tells by itself. */
function looksPublic(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl)
  return (
    protocol === 'https:' && hostname.includes('.') && !/^[\d.]+$|\.(local|internal|lan|home\.arpa)$/.test(hostname)
  )
}
