import { EmailAddress } from '../src/accounts/credentials-schema.ts'

/** What a program asks of the sign-in of whoever lets it in (OpenID Connect Core, section 3.1.2.1). */
export interface SignInDemands {
  /** Somebody has to sign in for this authorization, whoever is signed in (`prompt=login`). */
  again: boolean
  /** How long ago somebody may have signed in when it was begun, seconds (`max_age`); null for any time. */
  maxAge: number | null
  /** People are to be asked for the account (`prompt=select_account`). */
  choose: boolean
  /** The address that they probably sign in with (`login_hint`); null for none that is an address. */
  hint: string | null
  /** The only account that is meant (`id_token_hint`); null for any. */
  subject: string | null
}

/** What a person is shown: the question whether the program may, or a form to sign in, and why. */
export type Step = 'consent' | SignInReason

export type SignInReason =
  /** Nobody is signed in. */
  | 'first'
  /** The sign-in is too old, or one is asked for in any case. */
  | 'again'
  /** The program means another account. */
  | 'other'
  /** The program asks which account it is to be. */
  | 'choose'
  /** The person asks for another account. */
  | 'change'

interface Begun {
  demands: SignInDemands
  begunAt: Date
  /** The session that somebody signed in with for this authorization. */
  signedInBy: string | null
}

interface Present {
  accountId: string
  session: { id: string; createdAt: Date }
}

/** Reads what a program demands from the parameters of its request. */
export function readDemands(params: Record<string, unknown>, subject: unknown): SignInDemands {
  const prompts = String(params.prompt ?? '').split(' ')
  const hint = EmailAddress.safeParse(params.login_hint)
  return {
    again: prompts.includes('login'),
    maxAge: params.max_age === undefined ? null : Number(params.max_age),
    choose: prompts.includes('select_account'),
    hint: hint.success ? hint.data : null,
    subject: typeof subject === 'string' ? subject : null,
  }
}

/**
 * What comes next for the one who is signed in. Signing in for an authorization meets `prompt=login`, `max_age` and
 * `prompt=select_account` of this one and of no other; `account` is the session that people chose to go on with, or `change`.
 */
export function nextStep(
  { demands, begunAt, signedInBy }: Begun,
  present: Present | null,
  account: string | null,
): Step {
  if (!present) return 'first'
  const { accountId, session } = present
  const signedIn = signedInBy === session.id
  const ageMs = begunAt.getTime() - session.createdAt.getTime()
  const tooOld = demands.maxAge !== null && ageMs > demands.maxAge * 1000
  if (!signedIn && (demands.again || tooOld)) return 'again'
  if (demands.subject !== null && demands.subject !== accountId) return 'other'
  if (account === 'change') return 'change'
  if (demands.choose && !signedIn && account !== session.id) return 'choose'
  return 'consent'
}
