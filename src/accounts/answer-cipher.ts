import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts answers that are stored for repeats, because they contain signed URLs and parts of books. */
export interface AnswerCipher {
  encrypt(answer: unknown, idempotencyKey: string): string
  /**
   * Decrypts the answer that was encrypted with this idempotency key; undefined if the server's secret has changed.
   * Answers of earlier versions are stored as plain JSON.
   */
  decrypt(stored: string, idempotencyKey: string): unknown
}

/** Prefix of an encrypted answer; no JSON text begins with it. */
const prefix = 'a256gcm.'
const ivBytes = 12
const tagBytes = 16

/**
 * Encrypts with AES-256-GCM and a key derived (HKDF, RFC 5869) from the server's secret and the idempotency key. The
 * latter is not stored, so reading the store is not enough for decryption. Keys for another `purpose` cannot decrypt
 * answers of this one.
 */
export function createAnswerCipher(secret: string, purpose = 'lectern idempotency answer'): AnswerCipher {
  const keyOf = (idempotencyKey: string) => Buffer.from(hkdfSync('sha256', secret, idempotencyKey, purpose, 32))
  return {
    encrypt(answer, idempotencyKey) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', keyOf(idempotencyKey), iv)
      const text = Buffer.concat([cipher.update(JSON.stringify(answer), 'utf8'), cipher.final()])
      return prefix + Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url')
    },
    decrypt(stored, idempotencyKey) {
      if (!stored.startsWith(prefix)) return JSON.parse(stored)
      const bytes = Buffer.from(stored.slice(prefix.length), 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', keyOf(idempotencyKey), bytes.subarray(0, ivBytes))
      decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
      try {
        const text = [decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]
        return JSON.parse(Buffer.concat(text).toString())
      } catch {
        return undefined
      }
    },
  }
}
