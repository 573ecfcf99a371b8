import { createHmac, timingSafeEqual } from 'node:crypto'

/** What a form's token is bound to: a session, or a cookie of somebody who is not signed in. */
export type FormTokenBinding = `session:${string}` | `visitor:${string}`

/** Tokens that show that a form comes from a page of this server and this browser. */
export interface FormTokens {
  issue(binding: FormTokenBinding): string
  /** Compares in constant time. */
  verify(binding: FormTokenBinding, token: string | null): boolean
}

/** Tokens that all processes with one secret make and accept alike. */
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
