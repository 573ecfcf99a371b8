import { html } from 'hono/html'
import type { Html } from '../../components/html.ts'

interface Home {
  baseUrl: string
  /** True if visitors may create accounts. */
  signUp: boolean
  notice: Html | ''
}

/** The home page of visitors who are not signed in: what this server is, the way in, and the URLs of its MCP endpoint and REST API. */
export function homePage({ baseUrl, signUp, notice }: Home): Html {
  return html`
    <h1>Lectern</h1>
    <p class="lead">A library of books that people and agents read.</p>
    ${notice}
    <p class="actions">
      <a class="button" href="/sign-in">Sign in</a>
      ${signUp ? html`<a class="button quiet" href="/sign-up">Create account</a>` : ''}
    </p>
    <h2>Connect an agent</h2>
    <p>
      Give your assistant the MCP URL of this server and sign in when it asks:
      <a href="/connect">see the steps for each assistant</a>. Programs send an API key as
      <code>Authorization: Bearer</code>.
    </p>
    <pre><code>${baseUrl}/api/v1/mcp</code></pre>
    <h2>Call the REST API</h2>
    <p>
      The <a href="/docs">API reference</a> lists every route. Programs can read the
      <a href="/api/v1/openapi.json">OpenAPI description</a>.
    </p>
    <pre><code>curl -H "Authorization: Bearer $LECTERN_KEY" ${baseUrl}/api/v1/items</code></pre>
  `
}
