import { html } from 'hono/html'
import type { Connection, OauthStore } from '../src/accounts/oauth-store.ts'
import { AppError } from '../src/core/errors.ts'
import { grantedScopes } from '../src/core/scopes.ts'
import { readOwnForm } from '../src/web/form.ts'
import { redirect, respond } from '../src/web/respond.ts'
import type { PageRoutes } from '../src/web/routes.ts'
import { sessionToken } from '../src/web/visit.ts'
import { connectionsView, type ConnectedProgram } from './views/connections.ts'

/** Mounts /connections: the programs that act for the one who is signed in. */
export function mountConnections(routes: PageRoutes, store: OauthStore): void {
  routes.signedIn('GET', '/connections', async (visit) => {
    const programs = programsOf(await store.connections(visit.signedIn.actor.id))
    const gone = visit.url.searchParams.get('done') === 'disconnected'
    return respond(visit, {
      title: 'Connected apps',
      path: '/connections',
      content: html`<h1>Connected apps</h1>
        <p class="lead">Programs that you have let in by signing in. API keys are <a href="/keys">listed apart</a>.</p>
        ${gone ? html`<p class="notice" role="status">The program is disconnected.</p>` : ''}
        ${connectionsView(programs, sessionToken(visit))}`,
    })
  })
  routes.signedIn('POST', '/connections/disconnect', async (visit) => {
    const id = (await readOwnForm(visit)).get('id')
    const accountId = visit.signedIn.actor.id
    const ended = (await store.connections(accountId)).filter((connection) => programId(connection) === id)
    if (ended.length === 0) throw new AppError('NOT_FOUND', 'This program is disconnected already.')
    await store.disconnect(
      accountId,
      ended.map((connection) => connection.id),
    )
    return redirect(visit, '/connections?done=disconnected')
  })
}

/** Connections by program, last used first. */
export function programsOf(connections: readonly Connection[]): ConnectedProgram[] {
  return [...Map.groupBy(connections, programId)].map(([id, own]) => {
    const [latest] = own
    if (!latest) throw new Error('A program without a connection')
    return {
      id,
      ...latest.app,
      scopes: grantedScopes(own.flatMap(({ scopes }) => scopes)),
      connectedAt: own.reduce(
        (first, { connectedAt }) => (connectedAt < first ? connectedAt : first),
        latest.connectedAt,
      ),
      lastUsedAt: latest.lastUsedAt,
    }
  })
}

/** A registered client is one installation; a client with a metadata document is all of them, told apart by consent. */
function programId({ id, clientId }: Connection): string {
  return URL.canParse(clientId) ? id : clientId
}
