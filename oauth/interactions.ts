import type { Provider } from 'oidc-provider'
import type { OauthStore } from '../src/accounts/oauth-store.ts'
import { AppError } from '../src/errors.ts'
import { grantedScopes } from '../src/scopes.ts'
import { answerForm, readOwnForm, type Form, type FormState } from '../src/web/form.ts'
import { respond } from '../src/web/respond.ts'
import type { PageRoutes } from '../src/web/routes.ts'
import { sessionToken, type SignedVisit } from '../src/web/visit.ts'
import { findAuthorization, type Authorization } from './authorization.ts'
import { oauthPaths } from './configuration.ts'
import { consentView, goOnView } from './views/consent.ts'

interface Consent {
  provider: Provider
  store: OauthStore
  resource: string
}

/** Mounts the page on which people let a program in. Who is not signed in signs in first and comes back. */
export function mountConsent(routes: PageRoutes, consent: Consent): void {
  const path = `${oauthPaths.interaction}/:uid`
  const find = ({ request }: SignedVisit) => findAuthorization(consent.provider, request, consent.resource)
  routes.signedIn('GET', path, async (visit) => consentPage(visit, await find(visit)))
  routes.signedIn('POST', path, async (visit) => {
    const authorization = await find(visit)
    return answerForm({
      read: () => readOwnForm(visit),
      act: (form) => settle(visit, form, { authorization, store: consent.store }),
      again: (state) => consentPage(visit, authorization, state),
    })
  })
}

function consentPage(visit: SignedVisit, { client, scopes }: Authorization, state: FormState = {}): Promise<Response> {
  const { account: reader } = visit.signedIn.actor
  return respond(visit, {
    title: state.problem ? 'Error: Connect a program' : 'Connect a program',
    status: state.problem?.status ?? 200,
    content: consentView({ client, scopes, reader, token: sessionToken(visit), path: visit.url.pathname }, state),
  })
}

interface Question {
  authorization: Authorization
  store: OauthStore
}

async function settle(visit: SignedVisit, form: Form, { authorization, store }: Question): Promise<Response> {
  const { client, scopes, finish, grant } = authorization
  if (form.get('answer') !== 'allow') {
    const address = await finish({ error: 'access_denied', error_description: 'The person did not allow it' })
    return goOn(visit, address, { allowed: false, name: client.name })
  }
  const ticked = grantedScopes(form.getAll('scopes')).filter((scope) => scopes.includes(scope))
  if (ticked.length === 0) {
    const message = 'Tick at least one thing that it may do, or do not connect it.'
    throw new AppError('INVALID_INPUT', message, { details: { field: 'scopes' } })
  }
  const accountId = visit.signedIn.actor.id
  const grantId = await grant(accountId, ticked)
  const { id, name, destination } = client
  await store.describeGrant(grantId, { name, destination, scopes: ticked })
  await store.keepClient(id)
  const address = await finish({ login: { accountId, remember: false }, consent: { grantId } })
  return goOn(visit, address, { allowed: true, name })
}

/**
 * Sends the browser on by a page of its own: browsers hold the redirects that follow a form against `form-action` of the
 * policy, and where the client's answer goes is not known there.
 */
function goOn(visit: SignedVisit, address: string, outcome: { allowed: boolean; name: string }): Promise<Response> {
  return respond(visit, {
    title: outcome.allowed ? 'Connected' : 'Not connected',
    goOn: address,
    content: goOnView(address, outcome),
  })
}
