import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Generates an OAuth client secret: 256 random bits, base64url. */
export function generateClientSecret(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * The stored form of a client secret: its SHA-256 in hex. The server generates each secret from 256 random bits, so a
 * slow hash adds no security.
 */
function hashClientSecret(secret: string): string {
  return sha256(secret).toString('hex')
}

/** Compares a secret with a stored hash, in constant time. */
export function verifyClientSecret(hash: string, secret: string): boolean {
  const [expected, actual] = [Buffer.from(hash, 'hex'), sha256(secret)]
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}

/** A client's metadata (RFC 7591) as stored: `client_secret_sha256` replaces `client_secret`. */
export function hashSecretInMetadata({ client_secret: secret, ...metadata }: Record<string, unknown>) {
  return typeof secret === 'string' ? { ...metadata, client_secret_sha256: hashClientSecret(secret) } : metadata
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
