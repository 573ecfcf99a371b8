import { html } from 'hono/html'
import { assistants, copyableText, type Assistant } from './assistants.ts'
import type { Html } from '../../components/html.ts'
import type { Site } from '../../site.ts'

/**
 * Instructions for connecting each assistant to this server: with OAuth sign-in if the server offers it, otherwise with
 * an API key.
 */
export function connectPage({ baseUrl, oauth, services }: Pick<Site, 'baseUrl' | 'oauth' | 'services'>): Html {
  const address = `${baseUrl}/api/v1/mcp`
  const available = assistants(address).filter(({ withKey }) => oauth || withKey !== undefined)
  return html`<h1>Connect an assistant</h1>
    <p class="lead">
      The assistant reads your library over MCP, the protocol by which assistants use other services, and cites it by
      page.
    </p>
    <p>The MCP URL of this server (Streamable HTTP):</p>
    ${copyableText(address)}
    <p>
      ${
        oauth
          ? html`Paste the URL into the assistant and sign in. You choose its permissions before it connects, and can
              disconnect it under <a href="/connections">Connected apps</a>.`
          : html`Assistants authenticate with an <a href="#keys">API key</a>.`
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
    <h2>Test the connection</h2>
    <p>
      Ask the assistant: “What is in my library?” It calls <code>library_summary</code> and names your books. If it does
      not, an administrator can find the cause with <code>${services.command} doctor --url ${baseUrl}</code>.
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
            ${name} connects from its vendor’s servers. They cannot reach this URL: it needs <code>https</code> and a
            public host name.
          </p>`
        : ''
    }
    ${oauth ? stepList(signIn) : stepList(withKey)}
    ${
      oauth && withKey.length > 0
        ? html`<details>
            <summary>With an API key instead</summary>
            <p>For machines without a browser. <a href="#keys">Create a key</a> first.</p>
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
      ${oauth ? 'For programs that run unattended. ' : ''}<a href="/keys">Create a key</a> for each assistant and set it
      as an environment variable of the assistant, where nobody else can read it:
    </p>
    ${copyableText('export LECTERN_KEY=YOUR_KEY')}
    <p>Any MCP client with Streamable HTTP can send the key in this header:</p>
    ${copyableText('Authorization: Bearer YOUR_KEY')}
  </section>`
}

/** True if the URL looks reachable from the internet: https and a public host name. */
function looksPublic(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl)
  return (
    protocol === 'https:' && hostname.includes('.') && !/^[\d.]+$|\.(local|internal|lan|home\.arpa)$/.test(hostname)
  )
}
