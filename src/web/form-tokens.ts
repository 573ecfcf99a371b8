import { createHmac, timingSafeEqual } from 'node:crypto'

/** What a form's token is bound to: a session, or a cookie of somebody who is not signed in. */
export type Binding = `session:${string}` | `visitor:${string}`

/** Tokens that show that a form comes from a page of this server and this browser. */
export interface FormTokens {
  of(binding: Binding): string
  /** Compares in constant time. */
  fits(binding: Binding, token: string | null): boolean
}

/** Tokens that all processes with one secret make and accept alike. */
export function createFormTokens(secret: string): FormTokens {
  const key = createHmac('sha256', secret).update('form tokens').digest()
  const of = (binding: Binding) => createHmac('sha256', key).update(binding).digest('base64url')
  return {
    of,
    fits(binding, token) {
      const [right, given] = [Buffer.from(of(binding)), Buffer.from(token ?? '')]
      return right.length === given.length && timingSafeEqual(right, given)
    },
  }
}
