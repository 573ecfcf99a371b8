import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** A new secret of an OAuth client: 256 random bits. */
export function generateClientSecret(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * What is kept of a client's secret: its SHA-256, in hexadecimal digits. A slow hash would add nothing: the secret is
 * never chosen by the client, and 256 random bits cannot be tried through.
 */
export function hashClientSecret(secret: string): string {
  return sha256(secret).toString('hex')
}

/** Whether a secret is the one of this hash; compares in constant time. */
export function verifyClientSecret(hash: string, secret: string): boolean {
  const [expected, actual] = [Buffer.from(hash, 'hex'), sha256(secret)]
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}

/** A client's metadata (RFC 7591) as it is stored: with the hash of its secret in place of the secret. */
export function hashSecretInMetadata({ client_secret: secret, ...metadata }: Record<string, unknown>) {
  return typeof secret === 'string' ? { ...metadata, client_secret_sha256: hashClientSecret(secret) } : metadata
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
