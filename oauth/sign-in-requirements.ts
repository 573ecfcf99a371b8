import { EmailAddress } from '../src/accounts/credentials-schema.ts'

/** What a program asks of the sign-in of whoever lets it in (OpenID Connect Core, section 3.1.2.1). */
export interface SignInRequirements {
  /** Somebody has to sign in for this authorization, whoever is signed in (`prompt=login`). */
  forceReauthentication: boolean
  /** How long ago somebody may have signed in when it was begun, seconds (`max_age`); null for any time. */
  maxAgeSeconds: number | null
  /** People are to be asked for the account (`prompt=select_account`). */
  selectAccount: boolean
  /** The address that they probably sign in with (`login_hint`); null for none that is an address. */
  loginHint: string | null
  /** The only account that is meant (`id_token_hint`); null for any. */
  subject: string | null
}

/** What a person is shown: the question whether the program may, or a form to sign in, and why. */
export type InteractionStep = 'consent' | SignInReason

export type SignInReason =
  /** Nobody is signed in. */
  | 'signed-out'
  /** The sign-in is too old, or one is asked for in any case. */
  | 'reauthenticate'
  /** The program means another account. */
  | 'wrong-account'
  /** The program asks which account it is to be. */
  | 'select-account'
  /** The person asks for another account. */
  | 'switch-account'

interface StartedAuthorization {
  requirements: SignInRequirements
  startedAt: Date
  /** The session that somebody signed in with for this authorization. */
  signInSessionId: string | null
}

interface CurrentSession {
  accountId: string
  session: { id: string; createdAt: Date }
}

/** Reads what a program demands from the parameters of its request. */
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
 * What comes next for the one who is signed in. Signing in for an authorization meets `prompt=login`, `max_age` and
 * `prompt=select_account` of this one and of no other; `account` is the session that people chose to go on with, or `change`.
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
  if (chosenAccount === 'switch-account') return 'switch-account'
  if (requirements.selectAccount && !signedInForThis && chosenAccount !== session.id) return 'select-account'
  return 'consent'
}
