import { html } from 'hono/html'
import type { Html } from '../../components/html.ts'

/** How to connect one assistant to a server. */
export interface Assistant {
  id: string
  name: string
  /** True if it connects from its vendor's servers, so that this server must be reachable from there. */
  cloud?: true
  /** Steps with OAuth sign-in, one list item each. */
  signIn: readonly Html[]
  /** Steps with an API key, for machines without a browser; absent if the assistant supports none. */
  withKey?: readonly Html[]
}

/** Instructions for common assistants; `address` is the server's MCP URL. */
export function assistants(address: string): readonly Assistant[] {
  return [
    claude(address),
    claudeCode(address),
    chatGpt(address),
    cursor(address),
    vsCode(address),
    codex(address),
    geminiCli(address),
  ]
}

function claude(address: string): Assistant {
  return {
    id: 'claude',
    name: 'Claude',
    cloud: true,
    signIn: [
      html`On claude.ai or in the desktop app, open <em>Settings</em>, then <em>Connectors</em>, and choose
        <em>Add custom connector</em>. In a team, an owner does this once in the organisation’s settings.`,
      html`Name it Lectern and paste the URL. Leave the advanced settings empty. ${copyableText(address)}`,
      html`Choose <em>Connect</em>, sign in here and select Claude’s permissions.`,
    ],
  }
}

function claudeCode(address: string): Assistant {
  const add = `claude mcp add --scope user --transport http lectern ${address}`
  return {
    id: 'claude-code',
    name: 'Claude Code',
    signIn: [
      html`Run this in a terminal: ${copyableText(add)}`,
      html`Type <code>/mcp</code> in Claude Code, choose <em>lectern</em>, then <em>Authenticate</em>. Your browser
        opens to sign in.`,
    ],
    withKey: [html`Run this in a terminal: ${copyableText(`${add} --header "Authorization: Bearer $LECTERN_KEY"`)}`],
  }
}

function chatGpt(address: string): Assistant {
  return {
    id: 'chatgpt',
    name: 'ChatGPT',
    cloud: true,
    signIn: [
      html`On chatgpt.com, open <em>Settings</em>, then <em>Apps</em> (formerly <em>Connectors</em>), then
        <em>Advanced settings</em>, and turn on <em>Developer mode</em>. In a workspace, an administrator has to allow
        it first.`,
      html`Back under <em>Apps</em>, choose <em>Create app</em>. Name it Lectern, paste the URL as the
        <em>MCP server URL</em> and choose <em>OAuth</em>. ${copyableText(address)}`,
      html`Choose <em>Create</em>, sign in here and select ChatGPT’s permissions. In a chat, choose Lectern from the
        plus menu.`,
    ],
  }
}

function cursor(address: string): Assistant {
  const server = (entry: object) => copyableText(json({ mcpServers: { lectern: { url: address, ...entry } } }))
  const file = html`Add this to <code>~/.cursor/mcp.json</code> and restart Cursor:`
  return {
    id: 'cursor',
    name: 'Cursor',
    signIn: [
      html`${file} ${server({})}`,
      html`In Cursor’s settings, under MCP, log in to <em>lectern</em>. Your browser opens to sign in.`,
    ],
    withKey: [html`${file} ${server({ headers: { Authorization: 'Bearer ${env:LECTERN_KEY}' } })}`],
  }
}

function vsCode(address: string): Assistant {
  const server = { type: 'http', url: address }
  const input = { type: 'promptString', id: 'lectern-key', description: 'Lectern API key', password: true }
  const headers = { Authorization: 'Bearer ${input:lectern-key}' }
  const run = html`Run the command <em>MCP: Open User Configuration</em> and add this:`
  return {
    id: 'vs-code',
    name: 'VS Code',
    signIn: [
      html`${run} ${copyableText(json({ servers: { lectern: server } }))}`,
      html`Start the server with the link above its entry. VS Code asks you to sign in and opens your browser.`,
    ],
    withKey: [
      html`${run} ${copyableText(json({ inputs: [input], servers: { lectern: { ...server, headers } } }))}`,
      html`VS Code asks for the key once and stores it securely.`,
    ],
  }
}

function codex(address: string): Assistant {
  const add = `codex mcp add lectern --url ${address}`
  return {
    id: 'codex',
    name: 'Codex',
    signIn: [
      html`Run this in a terminal. Your browser opens to sign in: ${copyableText(add)}`,
      html`If it does not open, run this too: ${copyableText('codex mcp login lectern')}`,
    ],
    withKey: [
      html`Run this in a terminal. Codex reads the key from the environment each time:
      ${copyableText(`${add} --bearer-token-env-var LECTERN_KEY`)}`,
    ],
  }
}

function geminiCli(address: string): Assistant {
  const add = 'gemini mcp add --scope user --transport http'
  return {
    id: 'gemini-cli',
    name: 'Gemini CLI',
    signIn: [
      html`Run this in a terminal: ${copyableText(`${add} lectern ${address}`)}`,
      html`Type this in Gemini CLI. Your browser opens to sign in: ${copyableText('/mcp auth lectern')}`,
    ],
    withKey: [
      html`Run this in a terminal:
      ${copyableText(`${add} --header "Authorization: Bearer $LECTERN_KEY" lectern ${address}`)}`,
    ],
  }
}

/** Text for copying: one click selects all of it, and it can be focused with the keyboard. */
export function copyableText(text: string): Html {
  return html`<div class="copy-text">
    <pre class="copyable" tabindex="0" data-copy><code>${text}</code></pre>
  </div>`
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2)
}
