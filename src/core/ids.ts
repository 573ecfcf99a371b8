import { createHash, randomFillSync } from 'node:crypto'

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz'
const timeLength = 9
const randomLength = 17

/** A new id: 26 characters of `[a-z0-9]`, ordered by time to the millisecond, with 87 random bits. */
export function newId(at: Date = new Date()): string {
  return at.getTime().toString(36).padStart(timeLength, '0') + randomCharacters(randomLength)
}

/** The id of something that must come to be once: the same for the same time and name, and else like a new id. */
export function derivedId(at: Date, name: string): string {
  const hash = BigInt(`0x${createHash('sha256').update(name).digest('hex')}`).toString(36)
  return at.getTime().toString(36).padStart(timeLength, '0') + hash.slice(-randomLength)
}

function randomCharacters(length: number): string {
  let out = ''
  while (out.length < length) {
    const byte = randomByte()
    // 252 = 7 × 36: larger bytes are dropped so that every character is equally likely.
    if (byte < 252) out += alphabet[byte % 36]
  }
  return out
}

// One call to the system for many ids: each costs as much as a thousand bytes.
const randomPool = Buffer.alloc(4096)
let poolOffset = randomPool.length

function randomByte(): number {
  if (poolOffset === randomPool.length) {
    randomFillSync(randomPool)
    poolOffset = 0
  }
  return randomPool[poolOffset++] as number
}
