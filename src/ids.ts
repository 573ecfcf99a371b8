import { randomBytes } from 'node:crypto'

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz'
const timeLength = 9
const randomLength = 17

/** A new id: 26 characters of `[a-z0-9]`, ordered by time to the millisecond, with 87 random bits. */
export function newId(at: Date = new Date()): string {
  return at.getTime().toString(36).padStart(timeLength, '0') + randomCharacters(randomLength)
}

function randomCharacters(length: number): string {
  let out = ''
  while (out.length < length) {
    for (const byte of randomBytes(length * 2)) {
      // 252 = 7 × 36: larger bytes are dropped so that every character is equally likely.
      if (byte < 252 && out.length < length) out += alphabet[byte % 36]
    }
  }
  return out
}
