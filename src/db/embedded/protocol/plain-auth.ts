import { createHash, timingSafeEqual } from 'node:crypto'
import { Binary } from 'bson'
import { decode } from '../bson/bytes.ts'

/** The user name of the generated address; the secret is its password. */
export const userName = 'lectern'

/** True when a `saslStart` carries the secret with the PLAIN mechanism (RFC 4616); compared in constant time. */
export function isAuthentic(body: Uint8Array, secret: string | undefined): boolean {
  const { mechanism, payload } = decode(body)
  if (mechanism !== 'PLAIN' || secret === undefined) return false
  const received = payload instanceof Binary ? payload.toString('utf8') : typeof payload === 'string' ? payload : ''
  return timingSafeEqual(digest(received), digest(plainPayload(secret)))
}

/** What a client says: no other identity, user name, password. */
export function plainPayload(secret: string): string {
  return `\0${userName}\0${secret}`
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
