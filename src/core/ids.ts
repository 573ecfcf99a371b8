import { createHash, randomFillSync } from 'node:crypto'

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz'
const timeLength = 9
const randomLength = 17

/** Creates an id: 26 characters of `[a-z0-9]`, sortable by time in milliseconds, with 87 random bits. */
export function newId(at: Date = new Date()): string {
  return at.getTime().toString(36).padStart(timeLength, '0') + randomCharacters(randomLength)
}

/** An id that sorts before every id created at or after that time. */
export function earliestId(at: Date): string {
  return at.getTime().toString(36).padStart(timeLength, '0')
}

/** Derives an id from a time and a name: equal inputs give equal ids, so that an object is created only once. */
export function derivedId(at: Date, name: string): string {
  const hash = BigInt(`0x${createHash('sha256').update(name).digest('hex')}`).toString(36)
  return at.getTime().toString(36).padStart(timeLength, '0') + hash.slice(-randomLength)
}

const dayMs = 24 * 60 * 60 * 1000

/** Like `derivedId` from the day in UTC: an object is created at most once a day. */
export function dailyId(at: Date, name: string): string {
  return derivedId(new Date(at.getTime() - (at.getTime() % dayMs)), name)
}

function randomCharacters(length: number): string {
  let out = ''
  while (out.length < length) {
    const byte = randomByte()
    // 252 = 7 × 36: larger bytes are dropped so that all characters are equally likely.
    if (byte < 252) out += alphabet[byte % 36]
  }
  return out
}

// Random bytes are pooled, because one system call costs as much as generating a thousand bytes.
const randomPool = Buffer.alloc(4096)
let poolOffset = randomPool.length

function randomByte(): number {
  if (poolOffset === randomPool.length) {
    randomFillSync(randomPool)
    poolOffset = 0
  }
  return randomPool[poolOffset++] as number
}
