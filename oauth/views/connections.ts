import { html } from 'hono/html'
import { scopes, type Scope } from '../../src/core/scopes.ts'
import { hidden } from '../../src/web/fields.ts'
import type { Html } from '../../src/web/layout.ts'
import { scopeWords } from '../../src/web/scope-descriptions.ts'
import { dayOf } from '../../src/web/format-time.ts'

/** A program as its user knows it: one installation, however often it was allowed in. */
export interface ConnectedProgram {
  id: string
  name: string
  destination: string
  scopes: Scope[]
  connectedAt: Date
  lastUsedAt: Date
}

/** The programs that act for somebody by sign-in, each with a button that ends it. */
export function connectionsView(programs: readonly ConnectedProgram[], token: string): Html {
  if (programs.length === 0) {
    return html`<p>No program is connected. <a href="/connect">Connect an assistant</a></p>`
  }
  return html`<ul class="rows">
    ${programs.map((program) => row(program, token))}
  </ul>`
}

function mayDo(given: readonly Scope[]): string {
  return given.length === scopes.length ? 'Everything' : given.map((scope) => scopeWords[scope]).join('; ')
}

function row({ id, name, destination, scopes: given, connectedAt, lastUsedAt }: ConnectedProgram, token: string): Html {
  return html`<li>
    <div>
      <strong>${name}</strong>
      <p class="may">${mayDo(given)}</p>
      <p class="facts">
        Answers to <code>${destination}</code>. Connected ${dayOf(connectedAt.toISOString())}, last used
        ${dayOf(lastUsedAt.toISOString())}
      </p>
    </div>
    <details class="confirm">
      <summary aria-label="Disconnect ${name}…">Disconnect…</summary>
      <form method="post" action="/connections/disconnect">
        ${hidden('csrf', token)} ${hidden('id', id)}
        <p>It is refused from its next call on.</p>
        <button class="grave" aria-label="Disconnect ${name} now">Disconnect now</button>
      </form>
    </details>
  </li>`
}
