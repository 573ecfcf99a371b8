import { createECDH, hkdfSync } from 'node:crypto'
import type { JWK } from 'oidc-provider'

export interface ServerKeys {
  /** Keys that sign the cookies of pending authorizations. */
  cookies: string[]
  /** The key that signs id tokens: ES256 (RFC 7518, section 3.4). */
  signing: JWK
  /** The key that refresh tokens are derived with. */
  refreshTokens: Buffer
}

/**
 * Derives the keys of the authorization server from the server's secret (HKDF, RFC 5869). They are the same after a
 * restart and in every process with this secret, and are never stored.
 */
export function deriveKeys(secret: string): ServerKeys {
  const cookies = deriveBytes(secret, 'cookies').toString('base64url')
  const keyPair = createECDH('prime256v1')
  keyPair.setPrivateKey(derivePrivateKey(secret))
  const point = keyPair.getPublicKey()
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const d = keyPair.getPrivateKey().toString('base64url')
  const kid = deriveBytes(secret, 'signing key name').subarray(0, 12).toString('base64url')
  const refreshTokens = deriveBytes(secret, 'refresh tokens')
  return {
    cookies: [cookies],
    refreshTokens,
    signing: { kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig', kid, x: x!, y: y!, d },
  }
}

const curveOrder = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551')

/** Derives a private key in [1, order of P-256); its modulo bias is below 2⁻¹²⁸ (FIPS 186-5, A.2.1). */
function derivePrivateKey(secret: string): Buffer {
  const wide = BigInt(`0x${deriveBytes(secret, 'signing', 48).toString('hex')}`)
  const number = (wide % (curveOrder - 1n)) + 1n
  return Buffer.from(number.toString(16).padStart(64, '0'), 'hex')
}

function deriveBytes(secret: string, purpose: string, bytes = 32): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `lectern oauth ${purpose}`, bytes))
}
