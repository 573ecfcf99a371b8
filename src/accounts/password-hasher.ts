import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { z } from 'zod'
import { AppError } from '../core/errors.ts'

const derive = promisify(argon2)

interface Cost {
  /** KiB. */
  memory: number
  passes: number
  parallelism: number
}

/** OWASP Password Storage Cheat Sheet: Argon2id with 19 MiB, two passes, one lane. */
const currentCost: Cost = { memory: 19 * 1024, passes: 2, parallelism: 1 }
const saltBytes = 16
const tagBytes = 32

/** A new password: 8 to 256 characters of any kind (NIST SP 800-63B, section 3.1.1.2). */
export const NewPassword = z
  .string()
  .refine((password) => [...password].length >= 8, 'The password must have at least 8 characters.')
  .refine((password) => [...password].length <= 256, 'The password must have at most 256 characters.')

export interface Passwords {
  /** The PHC string to keep of a password. */
  hash(password: string): Promise<string>
  /**
   * Whether a password is the one that was kept; null was never kept and costs the same work. `outdated`: it was hashed
   * at another cost than today's.
   */
  verify(password: string, kept: string | null): Promise<{ ok: boolean; outdated: boolean }>
}

export interface PasswordServices {
  passwords: Passwords
}

/** Hashes `atOnce` passwords at a time, so that a flood of them leaves threads and memory to everything else. */
export function createPasswords({ atOnce = 2, mostWaiting = 200 } = {}): Passwords {
  const inTurn = createTurns(atOnce, mostWaiting)
  return {
    async hash(password) {
      const salt = randomBytes(saltBytes)
      return format(currentCost, salt, await inTurn(() => tagOf(password, salt, currentCost)))
    },
    async verify(password, kept) {
      const known = kept === null ? null : parse(kept)
      const { cost, salt, tag } = known ?? { cost: currentCost, salt: randomBytes(saltBytes), tag: null }
      const given = await inTurn(() => tagOf(password, salt, cost))
      const ok = tag !== null && tag.length === given.length && timingSafeEqual(tag, given)
      return { ok, outdated: ok && !sameCost(cost) }
    },
  }
}

/** One way to write a password, however the keyboard composed it (NIST SP 800-63B: NFKC). */
function tagOf(password: string, nonce: Buffer, cost: Cost): Promise<Buffer> {
  return derive('argon2id', { message: password.normalize('NFKC'), nonce, tagLength: tagBytes, ...cost })
}

function sameCost({ memory, passes, parallelism }: Cost): boolean {
  return memory === currentCost.memory && passes === currentCost.passes && parallelism === currentCost.parallelism
}

function format({ memory, passes, parallelism }: Cost, salt: Buffer, tag: Buffer): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(tag)}`
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}

const phc = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

function parse(kept: string): { cost: Cost; salt: Buffer; tag: Buffer } {
  const match = phc.exec(kept)
  if (!match) throw new Error('A stored password is not an Argon2id PHC string')
  const [memory, passes, parallelism] = match.slice(1, 4).map(Number) as [number, number, number]
  const [salt, tag] = match.slice(4).map((text) => Buffer.from(text, 'base64')) as [Buffer, Buffer]
  return { cost: { memory, passes, parallelism }, salt, tag }
}

/** Lets `atOnce` run together; refuses with UNAVAILABLE when `mostWaiting` wait already. */
function createTurns(atOnce: number, mostWaiting: number) {
  const waiting: (() => void)[] = []
  let running = 0
  return async <T>(run: () => Promise<T>): Promise<T> => {
    if (running < atOnce) running++
    else if (waiting.length < mostWaiting) await new Promise<void>((resolve) => waiting.push(resolve))
    else
      throw new AppError('UNAVAILABLE', 'Too many people sign in right now. Retry in a few seconds.', {
        retryAfterSeconds: 5,
      })
    try {
      return await run()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
