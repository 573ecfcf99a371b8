import { EmailAddress } from '../src/accounts/credentials-schema.ts'

/** What a client requires of the user's sign-in (OpenID Connect Core, section 3.1.2.1). */
export interface SignInRequirements {
  /** The user must sign in for this authorization, even if already signed in (`prompt=login`). */
  forceReauthentication: boolean
  /** Largest age of the sign-in when the authorization starts, seconds (`max_age`); null for any age. */
  maxAgeSeconds: number | null
  /** The user must choose an account (`prompt=select_account`). */
  selectAccount: boolean
  /** Suggested email address (`login_hint`); null if absent or not an email address. */
  loginHint: string | null
  /** Id of the required account (`id_token_hint`); null for any account. */
  subject: string | null
}

/** The page that the user sees next: the consent page, or a sign-in form with its reason. */
export type InteractionStep = 'consent' | SignInReason

export type SignInReason =
  /** Nobody is signed in. */
  | 'signed-out'
  /** The sign-in is too old, or the client requires a new one. */
  | 'reauthenticate'
  /** The client requires another account. */
  | 'wrong-account'
  /** The client asks the user to choose an account. */
  | 'select-account'
  /** The user wants another account. */
  | 'switch-account'

interface StartedAuthorization {
  requirements: SignInRequirements
  startedAt: Date
  /** Id of the session created by a sign-in for this authorization; null if there was none. */
  signInSessionId: string | null
}

interface CurrentSession {
  accountId: string
  session: { id: string; createdAt: Date }
}

/** Reads the sign-in requirements from the parameters of an authorization request. */
export function parseRequirements(params: Record<string, unknown>, subject: unknown): SignInRequirements {
  const prompts = String(params['prompt'] ?? '').split(' ')
  const loginHint = EmailAddress.safeParse(params['login_hint'])
  return {
    forceReauthentication: prompts.includes('login'),
    maxAgeSeconds: params['max_age'] === undefined ? null : Number(params['max_age']),
    selectAccount: prompts.includes('select_account'),
    loginHint: loginHint.success ? loginHint.data : null,
    subject: typeof subject === 'string' ? subject : null,
  }
}

/**
 * The next step for the current session. A sign-in for an authorization satisfies `prompt=login`, `max_age` and
 * `prompt=select_account` of this authorization only. `chosenAccount` is the id of the session that the user chose to
 * continue with, or `change`.
 */
export function nextStep(
  { requirements, startedAt, signInSessionId }: StartedAuthorization,
  current: CurrentSession | null,
  chosenAccount: string | null,
): InteractionStep {
  if (!current) return 'signed-out'
  const { accountId, session } = current
  const signedInForThis = signInSessionId === session.id
  const ageMs = startedAt.getTime() - session.createdAt.getTime()
  const isTooOld = requirements.maxAgeSeconds !== null && ageMs > requirements.maxAgeSeconds * 1000
  if (!signedInForThis && (requirements.forceReauthentication || isTooOld)) return 'reauthenticate'
  if (requirements.subject !== null && requirements.subject !== accountId) return 'wrong-account'
  if (chosenAccount === 'change') return 'switch-account'
  if (requirements.selectAccount && !signedInForThis && chosenAccount !== session.id) return 'select-account'
  return 'consent'
}
