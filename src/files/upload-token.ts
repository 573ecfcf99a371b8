import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { UploadTarget } from './store.ts'

/** Signs the allowed upload (HMAC-SHA256). The token is URL-safe and readable by its holder. */
export function signUploadToken(secret: string, upload: UploadTarget): string {
  const { key, contentType, size, expiresAt } = upload
  const claims = JSON.stringify([key, contentType, size, expiresAt.getTime()])
  const payload = Buffer.from(claims).toString('base64url')
  return `${payload}.${sign(secret, payload)}`
}

/**
 * The upload that a token allows; `invalid` unless signed with this secret, `expired` from `expiresAt` on. Compares in
 * constant time.
 */
export function verifyUploadToken(secret: string, token: string, now: Date): UploadTarget | 'invalid' | 'expired' {
  const [payload = '', signature = '', ...extraParts] = token.split('.')
  if (token.length > 2048 || extraParts.length > 0 || !isEqualConstantTime(signature, sign(secret, payload)))
    return 'invalid'
  // The signature is valid, so the shape is known.
  const [key, contentType, size, expiresAt] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [
    string,
    string,
    number,
    number,
  ]
  if (now.getTime() >= expiresAt) return 'expired'
  return { key, contentType, size, expiresAt: new Date(expiresAt) }
}

function sign(secret: string, payload: string): string {
  // A key derived for this purpose, so that signatures made elsewhere with the same secret are never valid tokens.
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'lectern upload token 1', 32))
  return createHmac('sha256', key).update(payload).digest('base64url')
}

// Compares the texts, not the decoded bytes: several base64 texts decode to the same bytes.
function isEqualConstantTime(actual: string, expected: string): boolean {
  const [a, b] = [Buffer.from(actual), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
