import { html } from 'hono/html'
import { scopes, type Scope } from '../../src/core/scopes.ts'
import { emptyState } from '../../src/web/components/empty-state.ts'
import { hiddenField } from '../../src/web/components/fields.ts'
import type { Html } from '../../src/web/components/html.ts'
import { icon } from '../../src/web/components/icon.ts'
import { scopeDescriptions } from '../../src/web/format/scope-descriptions.ts'
import { formatDay } from '../../src/web/format/format-time.ts'

/** A connected program as its user knows it: one installation, however often it was authorized. */
export interface ConnectedProgram {
  id: string
  name: string
  destination: string
  scopes: Scope[]
  connectedAt: Date
  lastUsedAt: Date
}

/** The programs connected by OAuth, each with a button to disconnect it. */
export function connectionsView(programs: readonly ConnectedProgram[], token: string): Html {
  if (programs.length === 0) {
    return emptyState({
      icon: 'plug',
      title: 'No connected apps',
      text: 'An assistant that you connect by signing in appears here, and you can disconnect it at any time.',
      actions: html`<a class="button" href="/connect">${icon('plug')}Connect an assistant</a>`,
    })
  }
  return html`<ul class="rows">
    ${programs.map((program) => programRow(program, token))}
  </ul>`
}

function describeScopes(grantedScopes: readonly Scope[]): string {
  return grantedScopes.length === scopes.length
    ? 'All permissions'
    : grantedScopes.map((scope) => scopeDescriptions[scope]).join('; ')
}

function programRow(
  { id, name, destination, scopes: grantedScopes, connectedAt, lastUsedAt }: ConnectedProgram,
  token: string,
): Html {
  return html`<li>
    <div>
      <strong>${name}</strong>
      <p class="may">${describeScopes(grantedScopes)}</p>
      <p class="facts">
        Redirects to <code>${destination}</code>. Connected ${formatDay(connectedAt.toISOString())}, last used
        ${formatDay(lastUsedAt.toISOString())}
      </p>
    </div>
    <details class="confirm">
      <summary aria-label="Disconnect ${name}…">Disconnect…</summary>
      <form method="post" action="/connections/disconnect">
        ${hiddenField('csrf', token)} ${hiddenField('id', id)}
        <p>The app loses access at once.</p>
        <button class="grave" aria-label="Disconnect ${name}">Disconnect</button>
      </form>
    </details>
  </li>`
}
