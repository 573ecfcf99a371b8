import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretLength = 34
const checksumLength = 6
const apiKeyPattern = /^(lectern|ck)_[0-9A-Za-z]{40}$/

/**
 * Prefix of every OAuth access token. Test it before `ck_`, the prefix of older API keys (contract, Authentication 2).
 */
export const oauthTokenPrefix = 'ck_oauth_'

/** A new API key: prefix, 34 random base62 characters (202 bits) and a checksum of 6. */
export function generateApiKey(prefix: 'lectern' | 'ck' = 'lectern'): string {
  const body = `${prefix}_${randomBase62(secretLength)}`
  return body + checksum(body)
}

/** True if the text has the format of an API key and a valid checksum. Does not tell whether the key exists. */
export function hasApiKeyFormat(text: string): boolean {
  if (!apiKeyPattern.test(text)) return false
  const body = text.slice(0, -checksumLength)
  return checksum(body) === text.slice(-checksumLength)
}

/** The stored form of a key: its SHA-256 in hex. A key has 202 random bits, so a slow hash adds no security. */
export function hashApiKey(key: string): string {
  return hash('sha256', key, 'hex')
}

function checksum(body: string): string {
  let remainder = crc32(body)
  let out = ''
  for (let i = 0; i < checksumLength; i++) {
    out = alphabet[remainder % 62] + out
    remainder = Math.floor(remainder / 62)
  }
  return out
}

function randomBase62(length: number): string {
  let out = ''
  while (out.length < length) {
    for (const byte of randomBytes(length * 2)) {
      // 248 = 4 × 62: larger bytes are dropped so that every character is equally likely.
      if (byte < 248 && out.length < length) out += alphabet[byte % 62]
    }
  }
  return out
}
