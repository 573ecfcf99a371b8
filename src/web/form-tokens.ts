import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** What a CSRF token is bound to: a session, or the visitor cookie of a browser that is not signed in. */
export type FormTokenBinding = `session:${string}` | `visitor:${string}`

/** CSRF tokens: they prove that a form comes from a page of this server in this browser. */
export interface FormTokens {
  issue(binding: FormTokenBinding): string
  /** Compares in constant time. */
  verify(binding: FormTokenBinding, token: string | null): boolean
}

/** Bytes of an HMAC-SHA-256, and of the mask over it. */
const tokenBytes = 32

/**
 * CSRF tokens based on HMAC-SHA-256; all processes with the same secret accept the same tokens. Each token is masked
 * with random bytes, so that the size of compressed pages does not reveal it (BREACH attack).
 */
export function createFormTokens(secret: string): FormTokens {
  const key = createHmac('sha256', secret).update('form tokens').digest()
  const sign = (binding: FormTokenBinding) => createHmac('sha256', key).update(binding).digest()
  return {
    issue(binding) {
      const mask = randomBytes(tokenBytes)
      return Buffer.concat([mask, exclusiveOr(mask, sign(binding))]).toString('base64url')
    },
    verify(binding, token) {
      const bytes = Buffer.from(token ?? '', 'base64url')
      if (bytes.length !== 2 * tokenBytes) return false
      const unmasked = exclusiveOr(bytes.subarray(0, tokenBytes), bytes.subarray(tokenBytes))
      return timingSafeEqual(unmasked, sign(binding))
    },
  }
}

function exclusiveOr(mask: Uint8Array, bytes: Uint8Array): Uint8Array {
  return bytes.map((byte, at) => byte ^ (mask[at] as number))
}
