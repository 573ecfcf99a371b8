import { createHmac, timingSafeEqual } from 'node:crypto'

/** What a CSRF token is bound to: a session, or the visitor cookie of a browser that is not signed in. */
export type FormTokenBinding = `session:${string}` | `visitor:${string}`

/** CSRF tokens: they prove that a form comes from a page of this server in this browser. */
export interface FormTokens {
  issue(binding: FormTokenBinding): string
  /** Compares in constant time. */
  verify(binding: FormTokenBinding, token: string | null): boolean
}

/** CSRF tokens by HMAC-SHA-256; all processes with the same secret issue and accept the same tokens. */
export function createFormTokens(secret: string): FormTokens {
  const key = createHmac('sha256', secret).update('form tokens').digest()
  const issue = (binding: FormTokenBinding) => createHmac('sha256', key).update(binding).digest('base64url')
  return {
    issue,
    verify(binding, token) {
      const [expected, actual] = [Buffer.from(issue(binding)), Buffer.from(token ?? '')]
      return expected.length === actual.length && timingSafeEqual(expected, actual)
    },
  }
}
