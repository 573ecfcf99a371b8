import { createHash } from 'node:crypto'
import type { Db } from 'mongodb'
import { unjournaled } from '../db/write-concern.ts'
import { AppError } from '../core/errors.ts'
import { createWindowCounter, type WindowRow } from './window-counter.ts'

const minute = 60_000

/** How often something may be tried without being signed in, in windows that begin with their first attempt. */
export const attemptLimits = {
  /** Passwords for one e-mail address, whoever tries them. */
  password: { max: 10, windowMs: 15 * minute },
  /** Sign-ins from one client address. */
  sign_in: { max: 60, windowMs: 15 * minute },
  /** New accounts from one client address. */
  sign_up: { max: 10, windowMs: 60 * minute },
  /** Mails with a reset link, asked for from one client address. */
  reset_request: { max: 20, windowMs: 60 * minute },
  /** The same for one e-mail address, whoever asks, and whether or not it has an account. */
  reset_mail: { max: 4, windowMs: 60 * minute },
  /** Mails with an invitation to a team, sent to one address by whatever teams. */
  invite_mail: { max: 10, windowMs: 60 * minute },
  /** Clients that are registered by OAuth from one client address. */
  register_client: { max: 20, windowMs: 60 * minute },
} as const

export type AttemptKind = keyof typeof attemptLimits

export interface AttemptLimiter {
  /** Counts an attempt before it is made; refuses with RATE_LIMITED when the window is full. */
  consume(attempt: AttemptKind, subject: string): Promise<void>
  /** Begins anew: the subject has shown who it is. */
  reset(attempt: AttemptKind, subject: string): Promise<void>
}

export interface AttemptServices {
  attemptLimiter: AttemptLimiter
}

/** Counts attempts in the store, beside the rates of calls. Subjects are kept as hashes. */
export function createAttemptLimiter(db: Db): AttemptLimiter {
  const rates = db.collection<WindowRow>('rates', unjournaled)
  const countInWindow = createWindowCounter(rates)
  return {
    async consume(attempt, subject) {
      const { max, windowMs } = attemptLimits[attempt]
      const { count: attempts, remainingMs } = await countInWindow({ key: attemptKey(attempt, subject), windowMs })
      if (attempts > max) throw tooManyAttemptsError(remainingMs)
    },
    async reset(attempt, subject) {
      await rates.deleteOne({ _id: attemptKey(attempt, subject) })
    },
  }
}

function attemptKey(attempt: AttemptKind, subject: string): string {
  return `${attempt}:${createHash('sha256').update(subject).digest('hex')}`
}

function tooManyAttemptsError(remainingMs: number): AppError {
  const minutes = Math.max(1, Math.ceil(remainingMs / minute))
  const when = minutes === 1 ? 'in a minute' : `in ${minutes} minutes`
  return new AppError('RATE_LIMITED', `Too many attempts. Try again ${when}.`, {
    retryAfterSeconds: Math.max(1, Math.ceil(remainingMs / 1000)),
  })
}
