import { Credentials } from '../src/accounts/credentials-schema.ts'
import { signIn } from '../src/accounts/sign-in.ts'
import { handleForm, parseForm, readVisitorForm, type FormState } from '../src/web/form.ts'
import { signInPath } from '../src/web/next-url.ts'
import { redirect, respondPage } from '../src/web/respond.ts'
import { browserOf, keepSession } from '../src/web/keep-session.ts'
import { sessionToken, type Visit } from '../src/web/visit.ts'
import type { Authorization } from './authorization.ts'
import { nextStep, type SignInReason, type InteractionStep } from './sign-in-requirements.ts'
import { signInView } from './views/sign-in.ts'

/** The next step for a visit to an authorization; the `account` query parameter names the chosen session. */
export function currentStep(
  { signedIn, url }: Visit,
  authorization: Authorization,
  chosenAccount: string | null = url.searchParams.get('account'),
): InteractionStep {
  const current = signedIn && { accountId: signedIn.actor.id, session: signedIn.session }
  return nextStep(authorization, current, chosenAccount)
}

/**
 * Asks the user to sign in and says why. Without special requirements, redirects a user who is not signed in to the
 * server's own sign-in page.
 */
export function promptSignIn(visit: Visit, authorization: Authorization, reason: SignInReason): Promise<Response> {
  const { forceReauthentication, maxAgeSeconds, subject, loginHint } = authorization.requirements
  const hasRequirements = forceReauthentication || maxAgeSeconds !== null || subject !== null
  if (reason === 'signed-out' && !hasRequirements)
    return Promise.resolve(redirect(visit, `${signInPath(visit.url.pathname, loginHint)}&done=connect`))
  return signInPage(visit, authorization, { reason })
}

/** Handles the form of `promptSignIn`: starts a session, ends the previous one and records the new one for this authorization. */
export function handleSignIn(visit: Visit, authorization: Authorization): Promise<Response> {
  const { services } = visit.site
  const step = currentStep(visit, authorization)
  return handleForm({
    read: () => readVisitorForm(visit),
    async submit(form) {
      const token = await signIn(services, parseForm(Credentials, form), browserOf(visit))
      const session = await keepSession(visit, token)
      if (session) await authorization.recordSignIn(session.id)
      return redirect(visit, interactionPath(visit))
    },
    renderAgain: (state) =>
      signInPage(visit, authorization, { reason: step === 'consent' ? 'switch-account' : step, state }),
  })
}

/** The path of the authorization that a visit belongs to. */
export function interactionPath({ url }: Visit): string {
  return url.pathname.replace(/\/sign-in$/, '')
}

function signInPage(
  visit: Visit,
  { client, requirements }: Authorization,
  { reason, state = {} }: { reason: SignInReason; state?: FormState },
): Promise<Response> {
  const { signedIn, site } = visit
  const path = interactionPath(visit)
  return respondPage(visit, {
    title: state.problem ? 'Error: Sign in' : 'Sign in',
    status: state.problem?.status ?? 200,
    retryAfterSeconds: state.problem?.retryAfterSeconds,
    content: signInView(
      {
        reason,
        program: client.name,
        loginHint: requirements.loginHint,
        user: signedIn && { ...signedIn.actor.account, session: signedIn.session.id },
        path,
        tokens: {
          visitor: visit.visitorCsrfToken(),
          session: signedIn && sessionToken({ ...visit, signedIn }),
        },
        signUp: site.signUp,
      },
      state,
    ),
  })
}
