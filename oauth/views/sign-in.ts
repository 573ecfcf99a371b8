import { html } from 'hono/html'
import { formProblem, hiddenField } from '../../src/web/fields.ts'
import type { FormState } from '../../src/web/form.ts'
import type { Html } from '../../src/web/layout.ts'
import { credentialFields, signInLinks } from '../../src/web/sign-in.ts'
import type { SignInReason } from '../sign-in-requirements.ts'

interface SignInPrompt {
  reason: SignInReason
  /** The name of the program. */
  program: string
  /** The address that it thinks of. */
  loginHint: string | null
  /** Who is signed in. */
  user: { name: string; email: string; session: string } | null
  /** The address of the authorization. */
  path: string
  /** Of forms that need no sign-in, and of those that do. */
  tokens: { visitor: string; session: string | null }
  /** Whether anybody may make an account. */
  signUp: boolean
}

type ReasonText = (names: { program: string; user: string }) => { heading: string; lead: string }

const reasonTexts: Record<SignInReason, ReasonText> = {
  'signed-out': ({ program }) => ({ heading: 'Sign in', lead: `${program} asks you to, before you connect it.` }),
  reauthenticate: ({ program }) => ({
    heading: 'Confirm that it is you',
    lead: `${program} asks for your password once more, before you connect it.`,
  }),
  'wrong-account': ({ program, user: reader }) => ({
    heading: 'Sign in with another account',
    lead: `${program} asks for another account than that of ${reader}.`,
  }),
  'select-account': ({ program }) => ({
    heading: 'Choose an account',
    lead: `${program} asks which account you want to connect it to.`,
  }),
  'switch-account': ({ program, user: reader }) => ({
    heading: 'Use another account',
    lead: `${reader} is signed in. Sign in with the account that ${program} is to use.`,
  }),
}

/** The form to sign in for an authorization, why it comes, and the ways out of it. */
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
    ${user && reason === 'reauthenticate' ? html`<p class="facts">Another account can be used as well.</p>` : ''}
    ${user && reason === 'switch-account' ? html`<p><a href="${path}">Go on as ${user.name}</a></p>` : ''}
    ${signInLinks({ signUp: signUp && user === null })} ${tokens.session === null ? '' : denyForm(path, tokens.session)}`
}

function continueAs({ name, email, session }: NonNullable<SignInPrompt['user']>, path: string): Html {
  return html`<form method="get" action="${path}" class="form">
      ${hiddenField('account', session)}
      <button>Go on as ${name}</button>
      <p class="hint">${email}</p>
    </form>
    <h2>Another account</h2>`
}

function denyForm(path: string, token: string): Html {
  return html`<form method="post" action="${path}" class="form">
    ${hiddenField('csrf', token)}
    <button name="answer" value="deny" class="quiet">Do not connect</button>
  </form>`
}
