import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'

/** Who is signed in in a browser, and since when. */
export interface BrowserSession {
  accountId: string
  signedInAt: Date
}

/** Finds the session of a browser by the cookies that it sends; null when nobody is signed in. */
export type FindSession = (cookies: string) => Promise<BrowserSession | null>

const { Check, Prompt } = interactionPolicy

/**
 * Whoever authorizes is asked each time, by one page that stands for all questions: who are you, which account, and may
 * it? A request that forbids to ask (`prompt=none`) is therefore never granted; it learns which answer is missing first
 * (OpenID Connect Core, section 3.1.2.6).
 */
export function createConsentPolicy(findSession: FindSession, now: () => Date): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base()
  policy.clear()
  policy.add(
    createPrompt('login', async (ctx) => {
      if (!ctx.oidc.prompts.has('none')) return ctx.oidc.result?.login === undefined
      return !satisfiesRequest(ctx, await findSession(ctx.get('cookie')), now())
    }),
  )
  policy.add(createPrompt('select_account'))
  policy.add(createPrompt('consent', (ctx) => ctx.oidc.result?.consent === undefined))
  return policy
}

/** Something that programs may ask to be asked; the page knows by `prompt` that they do. */
function createPrompt(
  name: 'login' | 'select_account' | 'consent',
  needsAnswer?: (ctx: KoaContextWithOIDC) => boolean | Promise<boolean>,
): interactionPolicy.Prompt {
  const prompt = new Prompt({ name, requestable: true }, idTokenSubject)
  // The one that a prompt comes with would ask a second time after the answer.
  prompt.checks.clear()
  if (needsAnswer) {
    prompt.checks.add(new Check('unanswered', 'a person has to answer', `${name}_required`, needsAnswer))
  }
  return prompt
}

/** Whose id token a request has sent along, for the page. */
function idTokenSubject({ oidc }: KoaContextWithOIDC): { subject: unknown } {
  return { subject: oidc.entities.IdTokenHint?.payload['sub'] }
}

/** Whether somebody is signed in as a silent request wants it: recently enough, and the one that it means. */
function satisfiesRequest({ oidc }: KoaContextWithOIDC, session: BrowserSession | null, now: Date): boolean {
  if (!session || oidc.prompts.has('login')) return false
  const { max_age: maxAgeSeconds } = oidc.params as { max_age?: string }
  const ageMs = now.getTime() - session.signedInAt.getTime()
  if (maxAgeSeconds !== undefined && ageMs > Number(maxAgeSeconds) * 1000) return false
  const subject = oidc.entities.IdTokenHint?.payload['sub']
  return subject === undefined || subject === session.accountId
}
