import { html } from 'hono/html'
import type { Html } from './layout.ts'

/** The front page: what this server is and where its doors are. */
export function homePage(baseUrl: string, { signedIn }: { signedIn: boolean }): Html {
  return html`
    <h1>Lectern</h1>
    <p class="lead">A library of books that people and agents read.</p>
    ${
      signedIn
        ? html`<p>
            <a href="/connect">Connect an assistant</a>, see your <a href="/keys">API keys</a> or your
            <a href="/account">account</a>.
          </p>`
        : html`<p><a href="/sign-in">Sign in</a> for your API keys and your account.</p>`
    }
    <h2>Connect an agent</h2>
    <p>
      The MCP address of this server. Assistants need nothing else and lead you to a sign-in:
      <a href="/connect">the steps for yours</a>. Programs send an API key as <code>Authorization: Bearer</code>.
    </p>
    <pre><code>${baseUrl}/api/v1/mcp</code></pre>
    <h2>Call the REST API</h2>
    <p>
      Every capability is also a route. The <a href="/docs">API reference</a> lists them all; programs read the
      <a href="/api/v1/openapi.json">OpenAPI description</a>.
    </p>
    <pre><code>curl -H "Authorization: Bearer $LECTERN_KEY" ${baseUrl}/api/v1/items</code></pre>
  `
}
