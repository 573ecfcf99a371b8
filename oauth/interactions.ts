import type { Provider } from 'oidc-provider'
import type { OauthStore } from '../src/accounts/oauth-store.ts'
import { AppError } from '../src/core/errors.ts'
import { grantedScopes } from '../src/core/scopes.ts'
import { answerForm, readOwnForm, type Form, type FormState } from '../src/web/form.ts'
import { redirect, respond } from '../src/web/respond.ts'
import type { PageRoutes } from '../src/web/routes.ts'
import { sessionToken, type SignedVisit, type Visit } from '../src/web/visit.ts'
import { findAuthorization, type AskingClient, type Authorization } from './authorization.ts'
import { oauthPaths } from './configuration.ts'
import { askToSignIn, enterAgain, questionPath, stepOf } from './sign-in.ts'
import { consentView, goOnView, stayView } from './views/consent.ts'

interface Consent {
  provider: Provider
  store: OauthStore
  resource: string
}

/** Mounts the page on which people let a program in. Who is not signed in signs in first and comes back. */
export function mountConsent(routes: PageRoutes, consent: Consent): void {
  const path = `${oauthPaths.interaction}/:uid`
  const find = ({ request, params }: Visit) => findAuthorization(consent, request, params.uid)
  routes.open('GET', path, async (visit) => ask(visit, await find(visit)))
  routes.open('POST', path, async (visit) => {
    const authorization = await find(visit)
    const signed = signedVisit(visit)
    if (!signed) return redirect(visit, questionPath(visit))
    return answerForm({
      read: () => readOwnForm(signed),
      act: (form) => settle(signed, form, { authorization, store: consent.store }),
      again: (state) => ask(visit, authorization, { state, chosen: signed.signedIn.session.id }),
    })
  })
  // An address that is typed anew after a password was refused.
  routes.open('GET', `${path}/sign-in`, (visit) => redirect(visit, questionPath(visit)))
  routes.open('POST', `${path}/sign-in`, async (visit) => enterAgain(visit, await find(visit)))
}

function signedVisit(visit: Visit): SignedVisit | null {
  const { signedIn, ctx } = visit
  return signedIn && ctx && { ...visit, signedIn, ctx }
}

function ask(
  visit: Visit,
  authorization: Authorization,
  { state = {}, chosen }: { state?: FormState; chosen?: string } = {},
): Promise<Response> {
  const [signed, step] = [signedVisit(visit), stepOf(visit, authorization, chosen)]
  if (signed && step === 'consent') return consentPage(signed, authorization, state)
  return askToSignIn(visit, authorization, step === 'consent' ? 'first' : step)
}

function consentPage(visit: SignedVisit, { client, scopes }: Authorization, state: FormState): Promise<Response> {
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
    return goOn(visit, address, { allowed: false, client })
  }
  // Only who has chosen an account is shown the form that is sent here.
  if (stepOf(visit, authorization, visit.signedIn.session.id) !== 'consent') {
    return redirect(visit, questionPath(visit))
  }
  const ticked = grantedScopes(form.getAll('scopes')).filter((scope) => scopes.includes(scope))
  if (ticked.length === 0) {
    const message = 'Tick at least one thing that it may do, or do not connect it.'
    throw new AppError('INVALID_INPUT', message, { details: { field: 'scopes' } })
  }
  const { actor, session } = visit.signedIn
  const accountId = actor.id
  const grantId = await grant(accountId, ticked)
  const { id, name, destination } = client
  await store.describeGrant(grantId, { name, destination, scopes: ticked })
  await store.keepClient(id)
  const ts = Math.floor(session.createdAt.getTime() / 1000)
  const address = await finish({ login: { accountId, remember: false, ts }, consent: { grantId } })
  return goOn(visit, address, { allowed: true, client })
}

/**
 * Sends the browser on by a page of its own: browsers hold the redirects that follow a form against `form-action` of the
 * policy, and where the client's answer goes is not known there. After a refusal nobody is sent to a website that this
 * server has no reason to trust, unless by an own click (RFC 9700, section 4.11.2).
 */
function goOn(
  visit: SignedVisit,
  address: string,
  { allowed, client }: { allowed: boolean; client: AskingClient },
): Promise<Response> {
  const byItself = allowed || client.trusted
  return respond(visit, {
    title: allowed ? 'Connected' : 'Not connected',
    ...(byItself ? { goOn: address } : {}),
    content: byItself ? goOnView(address, { allowed, name: client.name }) : stayView(address, client),
  })
}
