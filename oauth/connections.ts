import { html } from 'hono/html'
import type { Connection, OauthStore } from '../src/accounts/oauth-store.ts'
import { AppError } from '../src/core/errors.ts'
import { grantedScopes } from '../src/core/scopes.ts'
import { readSessionForm } from '../src/web/form.ts'
import { redirect, respondPage } from '../src/web/respond.ts'
import type { PageRoutes } from '../src/web/routes.ts'
import { sessionToken } from '../src/web/visit.ts'
import { connectionsView, type ConnectedProgram } from './views/connections.ts'

/** Mounts /connections: the OAuth clients connected to the signed-in account. */
export function mountConnections(routes: PageRoutes, store: OauthStore): void {
  routes.signedInPage('GET', '/connections', async (visit) => {
    const programs = groupByProgram(await store.listConnections(visit.signedIn.actor.id))
    const wasDisconnected = visit.url.searchParams.get('done') === 'disconnected'
    return respondPage(visit, {
      title: 'Connected apps',
      currentPath: '/connections',
      content: html`<h1>Connected apps</h1>
        <p class="lead">Apps that you connected by signing in. API keys are <a href="/keys">listed separately</a>.</p>
        ${wasDisconnected ? html`<p class="notice" role="status">App disconnected.</p>` : ''}
        ${connectionsView(programs, sessionToken(visit))}`,
    })
  })
  routes.signedInPage('POST', '/connections/disconnect', async (visit) => {
    const id = (await readSessionForm(visit)).get('id')
    const accountId = visit.signedIn.actor.id
    const programConnections = (await store.listConnections(accountId)).filter(
      (connection) => programIdOf(connection) === id,
    )
    if (programConnections.length === 0) throw new AppError('NOT_FOUND', 'This app is already disconnected.')
    const grants = programConnections.map((connection) => connection.id)
    await store.disconnect(accountId, grants)
    const app = programConnections[0]?.app.name ?? ''
    await visit.ctx.audit.record({ type: 'oauth_disconnected', by: visit.ctx, detail: { app, grants } })
    return redirect(visit, '/connections?done=disconnected')
  })
}

/** Groups connections by program, last used first. */
function groupByProgram(connections: readonly Connection[]): ConnectedProgram[] {
  return [...Map.groupBy(connections, programIdOf)].map(([id, programConnections]) => {
    const [latest] = programConnections
    if (!latest) throw new Error('A program without a connection')
    return {
      id,
      ...latest.app,
      scopes: grantedScopes(programConnections.flatMap(({ scopes }) => scopes)),
      connectedAt: programConnections.reduce(
        (earliest, { connectedAt }) => (connectedAt < earliest ? connectedAt : earliest),
        latest.connectedAt,
      ),
      lastUsedAt: latest.lastUsedAt,
    }
  })
}

/** A registered client is one installation; a client with a metadata document is shared by all, so its consent is the id. */
function programIdOf({ id, clientId }: Connection): string {
  return URL.canParse(clientId) ? id : clientId
}
