import { createHash, timingSafeEqual } from 'node:crypto'
import { Binary } from 'bson'
import { decode } from '../bson/bytes.ts'

/** The user name in the generated URL; the secret is its password. */
export const userName = 'lectern'

/** True if a `saslStart` contains the secret, by the PLAIN mechanism (RFC 4616). Compares in constant time. */
export function isAuthentic(body: Uint8Array, secret: string | undefined): boolean {
  const { mechanism, payload } = decode(body)
  if (mechanism !== 'PLAIN' || secret === undefined) return false
  const received = payload instanceof Binary ? payload.toString('utf8') : typeof payload === 'string' ? payload : ''
  return timingSafeEqual(digest(received), digest(plainPayload(secret)))
}

/** The payload of a client: empty authorization identity, user name, password. */
export function plainPayload(secret: string): string {
  return `\0${userName}\0${secret}`
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
