import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import type { Admission } from './admission.ts'
import type { BrowserSession, FindSession } from './browser-session.ts'

const { Check, Prompt } = interactionPolicy

interface PolicyOptions {
  findSession: FindSession
  /** Bounds the interactions that are stored. */
  admission: Pick<Admission, 'admit'>
  now: () => Date
}

/**
 * The interaction policy: every authorization needs an interaction, in which one page handles sign-in, account selection
 * and consent. So `prompt=none` always fails, with the error of the first missing step (OpenID Connect Core, section
 * 3.1.2.6).
 */
export function createConsentPolicy({ findSession, admission, now }: PolicyOptions): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base()
  policy.clear()
  policy.add(
    createPrompt('login', async (ctx) => {
      if (!ctx.oidc.prompts.has('none')) {
        if (ctx.oidc.result?.login !== undefined) return false
        // The last step before the provider stores the interaction; everything else in the request is valid.
        await admission.admit(ctx.req, ctx.oidc.params ?? {})
        return true
      }
      return !satisfiesRequest(ctx, await findSession(ctx.get('cookie')), now())
    }),
  )
  policy.add(createPrompt('select_account'))
  policy.add(createPrompt('consent', (ctx) => ctx.oidc.result?.consent === undefined))
  return policy
}

/** Creates a prompt that clients may request. */
function createPrompt(
  name: 'login' | 'select_account' | 'consent',
  needsAnswer?: (ctx: KoaContextWithOIDC) => boolean | Promise<boolean>,
): interactionPolicy.Prompt {
  const prompt = new Prompt({ name, requestable: true }, idTokenSubject)
  // The built-in check would prompt again after the answer.
  prompt.checks.clear()
  if (needsAnswer) {
    prompt.checks.add(new Check('unanswered', 'a person has to answer', `${name}_required`, needsAnswer))
  }
  return prompt
}

/** The subject of the request's `id_token_hint`, for the page. */
function idTokenSubject({ oidc }: KoaContextWithOIDC): { subject: unknown } {
  return { subject: oidc.entities.IdTokenHint?.payload['sub'] }
}

/** True if the session satisfies a `prompt=none` request: recent enough and of the required account. */
function satisfiesRequest({ oidc }: KoaContextWithOIDC, session: BrowserSession | null, now: Date): boolean {
  if (!session || oidc.prompts.has('login')) return false
  const { max_age: maxAgeSeconds } = oidc.params as { max_age?: string }
  const ageMs = now.getTime() - session.signedInAt.getTime()
  if (maxAgeSeconds !== undefined && ageMs > Number(maxAgeSeconds) * 1000) return false
  const subject = oidc.entities.IdTokenHint?.payload['sub']
  return subject === undefined || subject === session.accountId
}
