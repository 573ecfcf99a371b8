import { html } from 'hono/html'
import { formProblem, hidden } from '../../src/web/fields.ts'
import type { FormState } from '../../src/web/form.ts'
import type { Html } from '../../src/web/layout.ts'
import { credentialFields, signInLinks } from '../../src/web/sign-in.ts'
import type { SignInReason } from '../sign-in-requirements.ts'

interface Asked {
  reason: SignInReason
  /** The name of the program. */
  program: string
  /** The address that it thinks of. */
  hint: string | null
  /** Who is signed in. */
  reader: { name: string; email: string; session: string } | null
  /** The address of the authorization. */
  path: string
  /** Of forms that need no sign-in, and of those that do. */
  tokens: { visitor: string; session: string | null }
  /** Whether anybody may make an account. */
  signUp: boolean
}

type Words = (asked: { program: string; reader: string }) => { heading: string; lead: string }

const words: Record<SignInReason, Words> = {
  first: ({ program }) => ({ heading: 'Sign in', lead: `${program} asks you to, before you connect it.` }),
  again: ({ program }) => ({
    heading: 'Confirm that it is you',
    lead: `${program} asks for your password once more, before you connect it.`,
  }),
  other: ({ program, reader }) => ({
    heading: 'Sign in with another account',
    lead: `${program} asks for another account than that of ${reader}.`,
  }),
  choose: ({ program }) => ({
    heading: 'Choose an account',
    lead: `${program} asks which account you want to connect it to.`,
  }),
  change: ({ program, reader }) => ({
    heading: 'Use another account',
    lead: `${reader} is signed in. Sign in with the account that ${program} is to use.`,
  }),
}

/** The form to sign in for an authorization, why it comes, and the ways out of it. */
export function signInView(asked: Asked, state: FormState): Html {
  const { reason, program, reader, hint, path, tokens, signUp } = asked
  const { heading, lead } = words[reason]({ program, reader: reader?.email ?? '' })
  const known = hint ?? (reason === 'again' ? reader?.email : undefined)
  return html`<h1>${heading}</h1>
    <p class="lead">${lead}</p>
    ${formProblem(state)} ${reader && reason === 'choose' ? goOnAs(reader, path) : ''}
    <form method="post" action="${path}/sign-in${reason === 'change' ? '?account=change' : ''}" class="form">
      ${hidden('csrf', tokens.visitor)} ${credentialFields(state, { email: known })}
      <button>Sign in</button>
    </form>
    ${reader && reason === 'again' ? html`<p class="facts">Another account can be used as well.</p>` : ''}
    ${reader && reason === 'change' ? html`<p><a href="${path}">Go on as ${reader.name}</a></p>` : ''}
    ${signInLinks({ signUp: signUp && reader === null })} ${tokens.session === null ? '' : refuse(path, tokens.session)}`
}

function goOnAs({ name, email, session }: NonNullable<Asked['reader']>, path: string): Html {
  return html`<form method="get" action="${path}" class="form">
      ${hidden('account', session)}
      <button>Go on as ${name}</button>
      <p class="hint">${email}</p>
    </form>
    <h2>Another account</h2>`
}

function refuse(path: string, token: string): Html {
  return html`<form method="post" action="${path}" class="form">
    ${hidden('csrf', token)}
    <button name="answer" value="deny" class="quiet">Do not connect</button>
  </form>`
}
