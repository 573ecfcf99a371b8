import type { OauthStore } from '../src/accounts/oauth-store.ts'
import { AppError } from '../src/core/errors.ts'
import { grantedScopes } from '../src/core/scopes.ts'
import { handleForm, readSessionForm, type Form, type FormState } from '../src/web/form.ts'
import { redirect, respondPage } from '../src/web/respond.ts'
import type { PageRoutes } from '../src/web/routes.ts'
import { sessionToken, type SignedInVisit, type Visit } from '../src/web/visit.ts'
import type { RequestingClient, Authorization, FindAuthorization } from './authorization.ts'
import { oauthPaths } from './paths.ts'
import { promptSignIn, handleSignIn, interactionPath, currentStep } from './sign-in.ts'
import { consentView, continueView, deniedView } from './views/consent.ts'

interface ConsentDependencies {
  findAuthorization: FindAuthorization
  store: OauthStore
}

/** Mounts the consent page. A user who is not signed in signs in first and returns to it. */
export function mountConsent(routes: PageRoutes, { findAuthorization, store }: ConsentDependencies): void {
  const path = `${oauthPaths.interaction}/:uid`
  const find = ({ request, params }: Visit) => findAuthorization(request, params['uid'])
  routes.publicPage('GET', path, async (visit) => renderInteraction(visit, await find(visit)))
  routes.publicPage('POST', path, async (visit) => {
    const authorization = await find(visit)
    const signedInVisit = asSignedInVisit(visit)
    if (!signedInVisit) return redirect(visit, interactionPath(visit))
    return handleForm({
      read: () => readSessionForm(signedInVisit),
      submit: (form) => handleConsent(signedInVisit, form, { authorization, store }),
      renderAgain: (state) =>
        renderInteraction(visit, authorization, { state, chosenAccount: signedInVisit.signedIn.session.id }),
    })
  })
  // The browser requests this URL with GET if the user reloads it after a rejected password.
  routes.publicPage('GET', `${path}/sign-in`, (visit) => redirect(visit, interactionPath(visit)))
  routes.publicPage('POST', `${path}/sign-in`, async (visit) => handleSignIn(visit, await find(visit)))
}

function asSignedInVisit(visit: Visit): SignedInVisit | null {
  const { signedIn, ctx } = visit
  return signedIn && ctx && { ...visit, signedIn, ctx }
}

function renderInteraction(
  visit: Visit,
  authorization: Authorization,
  { state = {}, chosenAccount }: { state?: FormState; chosenAccount?: string } = {},
): Promise<Response> {
  const [signedInVisit, step] = [asSignedInVisit(visit), currentStep(visit, authorization, chosenAccount)]
  if (signedInVisit && step === 'consent') return consentPage(signedInVisit, authorization, state)
  return promptSignIn(visit, authorization, step === 'consent' ? 'signed-out' : step)
}

function consentPage(visit: SignedInVisit, { client, scopes }: Authorization, state: FormState): Promise<Response> {
  return respondPage(visit, {
    title: state.problem ? 'Error: Connect an app' : 'Connect an app',
    status: state.problem?.status ?? 200,
    content: consentView(
      { client, scopes, user: visit.signedIn.actor.account, csrfToken: sessionToken(visit), path: visit.url.pathname },
      state,
    ),
  })
}

interface PendingConsent {
  authorization: Authorization
  store: OauthStore
}

async function handleConsent(
  visit: SignedInVisit,
  form: Form,
  { authorization, store }: PendingConsent,
): Promise<Response> {
  const { client, scopes, finish, createGrant } = authorization
  if (form.get('answer') !== 'allow') {
    const address = await finish({ error: 'access_denied', error_description: 'The user denied the request' })
    return returnToClient(visit, address, { allowed: false, client })
  }
  // The consent form is shown only after the user has chosen an account.
  if (currentStep(visit, authorization, visit.signedIn.session.id) !== 'consent') {
    return redirect(visit, interactionPath(visit))
  }
  const acceptedScopes = grantedScopes(form.getAll('scopes')).filter((scope) => scopes.includes(scope))
  if (acceptedScopes.length === 0) {
    const message = 'Select at least one permission, or cancel.'
    throw new AppError('INVALID_INPUT', message, { details: { field: 'scopes' } })
  }
  const { actor, session } = visit.signedIn
  const accountId = actor.id
  const grantId = await createGrant(accountId, acceptedScopes)
  const { id, name, destination } = client
  await store.setGrantApp(grantId, { name, destination, scopes: acceptedScopes })
  await store.keepClient(id, visit.ctx.now())
  const detail = { grant: grantId, client: id, app: name, destination, scopes: acceptedScopes }
  await visit.ctx.audit.record({ type: 'oauth_consented', by: visit.ctx, detail })
  const signedInAtSeconds = Math.floor(session.createdAt.getTime() / 1000)
  const address = await finish({ login: { accountId, remember: false, ts: signedInAtSeconds }, consent: { grantId } })
  return returnToClient(visit, address, { allowed: true, client })
}

/**
 * Returns the browser to the client through a separate page, because browsers check redirects after a form against CSP
 * `form-action`, which cannot list the client's redirect URI. After a denial, an untrusted website is reached only by a
 * click of the user (RFC 9700, section 4.11.2).
 */
function returnToClient(
  visit: SignedInVisit,
  address: string,
  { allowed, client }: { allowed: boolean; client: RequestingClient },
): Promise<Response> {
  const isAutomatic = allowed || client.isTrusted
  return respondPage(visit, {
    title: allowed ? 'Connected' : 'Not connected',
    ...(isAutomatic ? { redirectTo: address } : {}),
    content: isAutomatic ? continueView(address, { allowed, name: client.name }) : deniedView(address, client),
  })
}
