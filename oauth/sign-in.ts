import { Credentials } from '../src/accounts/credentials-schema.ts'
import { signIn } from '../src/accounts/sign-in.ts'
import { answerForm, parseForm, readVisitorForm, type FormState } from '../src/web/form.ts'
import { signInPath } from '../src/web/next-url.ts'
import { redirect, respond } from '../src/web/respond.ts'
import { browserOf } from '../src/web/sign-in.ts'
import { sessionToken, type Visit } from '../src/web/visit.ts'
import type { Authorization } from './authorization.ts'
import { nextStep, type SignInReason, type Step } from './sign-in-requirements.ts'
import { signInView } from './views/sign-in.ts'

/** What comes next for whoever visits an authorization; which account they chose stands in its address. */
export function stepOf(
  { signedIn, url }: Visit,
  authorization: Authorization,
  chosen: string | null = url.searchParams.get('account'),
): Step {
  const present = signedIn && { accountId: signedIn.actor.id, session: signedIn.session }
  return nextStep(authorization, present, chosen)
}

/**
 * Asks somebody to sign in, and says why. Who is not signed in and is asked nothing special goes through the sign-in page
 * of the server.
 */
export function askToSignIn(visit: Visit, authorization: Authorization, reason: SignInReason): Promise<Response> {
  const { again, maxAge, subject, hint } = authorization.demands
  const special = again || maxAge !== null || subject !== null
  if (reason === 'first' && !special) return Promise.resolve(redirect(visit, signInPath(visit.url.pathname, hint)))
  return signInPage(visit, authorization, { reason })
}

/** Takes the form of `askToSignIn`: begins a session, ends the one before, and notes it as made for this authorization. */
export function enterAgain(visit: Visit, authorization: Authorization): Promise<Response> {
  const { services } = visit.site
  const step = stepOf(visit, authorization)
  return answerForm({
    read: () => readVisitorForm(visit),
    async act(form) {
      const token = await signIn(services, parseForm(Credentials, form), browserOf(visit))
      visit.setCookies.push(visit.cookies.setSession(token))
      const begun = await services.webSessions.byToken(token, services.now())
      if (begun) await authorization.noteSignIn(begun.session.id)
      return redirect(visit, questionPath(visit))
    },
    again: (state) => signInPage(visit, authorization, { reason: step === 'consent' ? 'change' : step, state }),
  })
}

/** The address of the authorization that a visit belongs to. */
export function questionPath({ url }: Visit): string {
  return url.pathname.replace(/\/sign-in$/, '')
}

function signInPage(
  visit: Visit,
  { client, demands }: Authorization,
  { reason, state = {} }: { reason: SignInReason; state?: FormState },
): Promise<Response> {
  const { signedIn, site } = visit
  const path = questionPath(visit)
  return respond(visit, {
    title: state.problem ? 'Error: Sign in' : 'Sign in',
    status: state.problem?.status ?? 200,
    retryAfterSeconds: state.problem?.retryAfterSeconds,
    content: signInView(
      {
        reason,
        program: client.name,
        hint: demands.hint,
        reader: signedIn && { ...signedIn.actor.account, session: signedIn.session.id },
        path,
        tokens: {
          visitor: visit.visitorToken(),
          session: signedIn && sessionToken({ ...visit, signedIn }),
        },
        signUp: site.signUp === 'open',
      },
      state,
    ),
  })
}
