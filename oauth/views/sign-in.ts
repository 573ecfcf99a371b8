import { html } from 'hono/html'
import { formProblem, hiddenField } from '../../src/web/components/fields.ts'
import type { SignUpMode } from '../../src/accounts/sign-up-mode.ts'
import type { FormState } from '../../src/web/form.ts'
import type { Html } from '../../src/web/components/html.ts'
import { credentialFields, signInLinks } from '../../src/web/pages/sign-in/sign-in.ts'
import type { SignInReason } from '../sign-in-requirements.ts'

interface SignInPrompt {
  reason: SignInReason
  /** Display name of the client. */
  program: string
  /** Email address that the client suggests (`login_hint`). */
  loginHint: string | null
  /** The signed-in account; null if there is none. */
  user: { name: string; email: string; session: string } | null
  /** Path of the authorization. */
  path: string
  /** CSRF tokens of forms that need no sign-in and of those that do. */
  tokens: { visitor: string; session: string | null }
  /** Who may create an account. */
  signUp: SignUpMode
}

type ReasonText = (names: { program: string; user: string }) => { heading: string; lead: string }

const reasonTexts: Record<SignInReason, ReasonText> = {
  'signed-out': ({ program }) => ({ heading: 'Sign in', lead: `Sign in to connect ${program}.` }),
  reauthenticate: ({ program }) => ({
    heading: 'Confirm your identity',
    lead: `${program} asks you to enter your password again before you connect it.`,
  }),
  'wrong-account': ({ program, user }) => ({
    heading: 'Sign in with another account',
    lead: `${program} requires an account other than ${user}.`,
  }),
  'select-account': ({ program }) => ({
    heading: 'Choose an account',
    lead: `Choose the account to connect ${program} to.`,
  }),
  'switch-account': ({ program, user }) => ({
    heading: 'Use another account',
    lead: `You are signed in as ${user}. Sign in with the account that ${program} should use.`,
  }),
}

/** The sign-in form of an authorization, with its reason and the ways to cancel. */
export function signInView(prompt: SignInPrompt, state: FormState): Html {
  const { reason, program, user, loginHint, path, tokens, signUp } = prompt
  const { heading, lead } = reasonTexts[reason]({ program, user: user?.email ?? '' })
  const knownEmail = loginHint ?? (reason === 'reauthenticate' ? user?.email : undefined)
  return html`<h1>${heading}</h1>
    <p class="lead">${lead}</p>
    ${formProblem(state)} ${user && reason === 'select-account' ? continueAs(user, path) : ''}
    <form method="post" action="${path}/sign-in${reason === 'switch-account' ? '?account=change' : ''}" class="form">
      ${hiddenField('csrf', tokens.visitor)} ${credentialFields(state, { email: knownEmail })}
      <button>Sign in</button>
    </form>
    ${user && reason === 'reauthenticate' ? html`<p class="facts">You can also use another account.</p>` : ''}
    ${user && reason === 'switch-account' ? html`<p><a href="${path}">Continue as ${user.name}</a></p>` : ''}
    ${signInLinks(user === null ? signUp : null, path)} ${tokens.session === null ? '' : denyForm(path, tokens.session)}`
}

function continueAs({ name, email, session }: NonNullable<SignInPrompt['user']>, path: string): Html {
  return html`<form method="get" action="${path}" class="form">
      ${hiddenField('account', session)}
      <button>Continue as ${name}</button>
      <p class="hint">${email}</p>
    </form>
    <h2>Another account</h2>`
}

function denyForm(path: string, token: string): Html {
  return html`<form method="post" action="${path}" class="form">
    ${hiddenField('csrf', token)}
    <button name="answer" value="deny" class="quiet">Cancel</button>
  </form>`
}
