import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { z } from 'zod'
import { AppError } from '../core/errors.ts'
import { hasAtMost } from '../core/has-at-most.ts'

const argon2Async = promisify(argon2)

export interface HashCost {
  /** In KiB. */
  memory: number
  passes: number
  parallelism: number
}

/** OWASP Password Storage Cheat Sheet: Argon2id with 19 MiB, two passes, one lane. */
export const passwordCost: HashCost = { memory: 19 * 1024, passes: 2, parallelism: 1 }
const saltBytes = 16
const tagBytes = 32

/** A new password: 8 to 256 characters of any kind (NIST SP 800-63B, section 3.1.1.2). */
export const NewPassword = z
  .string()
  .refine((password) => [...password].length >= 8, 'The password must have at least 8 characters.')
  .refine((password) => hasAtMost(password, 256), 'The password must have at most 256 characters.')

export interface PasswordHasher {
  /** Hashes a password to a PHC string. Refuses with UNAVAILABLE if too many calls are queued. */
  hash(password: string): Promise<string>
  /**
   * Checks a password against a PHC string; null never matches and takes the same work. `outdated`: the cost of the
   * hash differs from the current one. Refuses with UNAVAILABLE if too many calls are queued.
   */
  verify(password: string, stored: string | null): Promise<{ ok: boolean; outdated: boolean }>
}

export interface PasswordServices {
  passwords: PasswordHasher
}

interface HasherOptions {
  concurrency?: number
  maxQueued?: number
  /** The cost of new hashes; hashes with another cost are outdated. */
  cost?: HashCost
}

/**
 * Runs at most `concurrency` hashes at a time and queues at most `maxQueued`, so that a flood of sign-ins leaves CPU
 * and memory to other calls.
 */
export function createPasswordHasher({
  concurrency = 2,
  maxQueued = 200,
  cost: currentCost = passwordCost,
}: HasherOptions = {}): PasswordHasher {
  const runLimited = createSemaphore(concurrency, maxQueued)
  return {
    async hash(password) {
      const salt = randomBytes(saltBytes)
      return format(currentCost, salt, await runLimited(() => computeTag(password, salt, currentCost)))
    },
    async verify(password, stored) {
      const parsed = stored === null ? null : parse(stored)
      const { cost, salt, tag } = parsed ?? { cost: currentCost, salt: randomBytes(saltBytes), tag: null }
      const computed = await runLimited(() => computeTag(password, salt, cost))
      const ok = tag !== null && tag.length === computed.length && timingSafeEqual(tag, computed)
      return { ok, outdated: ok && !sameCost(cost, currentCost) }
    },
  }
}

/** Normalizes to NFKC first, so that differently composed input gives the same hash (NIST SP 800-63B). */
function computeTag(password: string, salt: Buffer, cost: HashCost): Promise<Buffer> {
  return argon2Async('argon2id', { message: password.normalize('NFKC'), nonce: salt, tagLength: tagBytes, ...cost })
}

function sameCost(a: HashCost, b: HashCost): boolean {
  return a.memory === b.memory && a.passes === b.passes && a.parallelism === b.parallelism
}

function format({ memory, passes, parallelism }: HashCost, salt: Buffer, tag: Buffer): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${toUnpaddedBase64(salt)}$${toUnpaddedBase64(tag)}`
}

function toUnpaddedBase64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}

const phcPattern = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

function parse(stored: string): { cost: HashCost; salt: Buffer; tag: Buffer } {
  const match = phcPattern.exec(stored)
  if (!match) throw new Error('A stored password is not an Argon2id PHC string')
  const [memory, passes, parallelism] = match.slice(1, 4).map(Number) as [number, number, number]
  const [salt, tag] = match.slice(4).map((text) => Buffer.from(text, 'base64')) as [Buffer, Buffer]
  return { cost: { memory, passes, parallelism }, salt, tag }
}

/** Runs at most `concurrency` calls at a time; refuses with UNAVAILABLE if `maxQueued` calls are waiting. */
function createSemaphore(concurrency: number, maxQueued: number) {
  const queue: (() => void)[] = []
  let running = 0
  return async <T>(run: () => Promise<T>): Promise<T> => {
    if (running < concurrency) running++
    else if (queue.length < maxQueued) await new Promise<void>((resolve) => queue.push(resolve))
    else
      throw new AppError('UNAVAILABLE', 'Too many sign-ins at the moment. Retry in 5 seconds.', {
        retryAfterSeconds: 5,
      })
    try {
      return await run()
    } finally {
      const next = queue.shift()
      if (next) next()
      else running--
    }
  }
}
