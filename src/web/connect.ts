import { html } from 'hono/html'
import type { Html } from './layout.ts'

interface Assistant {
  id: string
  name: string
  steps: Html
}

/** How to connect assistants to the server at `baseUrl` with an API key, to be copied and pasted. */
export function connectPage(baseUrl: string): Html {
  const address = `${baseUrl}/api/v1/mcp`
  const assistants = [claudeCode(address), cursor(address), vsCode(address), codex(address), geminiCli(address)]
  return html`<h1>Connect an assistant</h1>
    <p class="lead">The assistant reads your library over MCP and cites it by page.</p>
    <dl class="facts-list">
      <div>
        <dt>MCP address</dt>
        <dd><code>${address}</code></dd>
      </div>
      <div>
        <dt>Transport</dt>
        <dd>Streamable HTTP</dd>
      </div>
      <div>
        <dt>Header</dt>
        <dd><code>Authorization: Bearer YOUR_KEY</code></dd>
      </div>
    </dl>
    <h2>First, a key</h2>
    <p>
      <a href="/keys">Make an API key</a> for each assistant. Put it into the environment in which the assistant is
      started, and nowhere that others read:
    </p>
    <pre><code>export LECTERN_KEY=YOUR_KEY</code></pre>
    <nav class="index" aria-label="Assistants">
      <ul>
        ${assistants.map(({ id, name }) => html`<li><a href="#${id}">${name}</a></li>`)}
      </ul>
    </nav>
    ${assistants.map(
      ({ id, name, steps }) =>
        html`<h2 id="${id}">${name}</h2>
          ${steps}`,
    )}
    <h2>See that it works</h2>
    <p>Ask the assistant: “What is in my library?” It calls <code>library_summary</code> and names your books.</p>`
}

function claudeCode(address: string): Assistant {
  const command = `claude mcp add --scope user --transport http lectern ${address} --header "Authorization: Bearer $LECTERN_KEY"`
  return {
    id: 'claude-code',
    name: 'Claude Code',
    steps: html`<p>Run this in a terminal. <code>/mcp</code> inside Claude Code shows the connection.</p>
      ${copyCommand(command)}`,
  }
}

function cursor(address: string): Assistant {
  const config = { mcpServers: { lectern: { url: address, headers: { Authorization: 'Bearer ${env:LECTERN_KEY}' } } } }
  return {
    id: 'cursor',
    name: 'Cursor',
    steps: html`<p>Put this into <code>~/.cursor/mcp.json</code>, beside servers that are there, and restart Cursor.</p>
      ${copy(json(config))}`,
  }
}

function vsCode(address: string): Assistant {
  const headers = { Authorization: 'Bearer ${input:lectern-key}' }
  const input = { type: 'promptString', id: 'lectern-key', description: 'Lectern API key', password: true }
  const config = { inputs: [input], servers: { lectern: { type: 'http', url: address, headers } } }
  return {
    id: 'vs-code',
    name: 'VS Code',
    steps: html`<p>
        Run the command <em>MCP: Open User Configuration</em> and put this in. VS Code asks for the key once and keeps
        it safe.
      </p>
      ${copy(json(config))}`,
  }
}

function codex(address: string): Assistant {
  const config = ['[mcp_servers.lectern]', `url = "${address}"`, 'bearer_token_env_var = "LECTERN_KEY"'].join('\n')
  return {
    id: 'codex',
    name: 'Codex',
    steps: html`<p>Put this into <code>~/.codex/config.toml</code>. Codex reads the key from the environment.</p>
      ${copy(config)}`,
  }
}

function geminiCli(address: string): Assistant {
  const command = `gemini mcp add --scope user --transport http --header "Authorization: Bearer $LECTERN_KEY" lectern ${address}`
  return {
    id: 'gemini-cli',
    name: 'Gemini CLI',
    steps: html`<p>Run this in a terminal. <code>/mcp</code> inside Gemini CLI shows the connection.</p>
      ${copyCommand(command)}`,
  }
}

function copy(text: string): Html {
  return html`<pre class="copyable" tabindex="0"><code>${text}</code></pre>`
}

function copyCommand(text: string): Html {
  return html`<pre class="copyable command"><code>${text}</code></pre>`
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2)
}
