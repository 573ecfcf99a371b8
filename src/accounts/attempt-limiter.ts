import { createHash } from 'node:crypto'
import type { Db } from 'mongodb'
import { unjournaled } from '../db/write-concern.ts'
import { AppError } from '../core/errors.ts'
import { createWindowCounter, type WindowRow } from './window-counter.ts'

const minute = 60_000

/** How often something may be tried without being signed in, in windows that begin with their first attempt. */
export const attemptLimits = {
  /** Passwords for one e-mail address, whoever tries them. */
  password: { most: 10, windowMs: 15 * minute },
  /** Sign-ins from one client address. */
  sign_in: { most: 60, windowMs: 15 * minute },
  /** New accounts from one client address. */
  sign_up: { most: 10, windowMs: 60 * minute },
  /** Mails with a reset link, asked for from one client address. */
  reset_request: { most: 20, windowMs: 60 * minute },
  /** The same for one e-mail address, whoever asks, and whether or not it has an account. */
  reset_mail: { most: 4, windowMs: 60 * minute },
  /** Mails with an invitation to a team, sent to one address by whatever teams. */
  invite_mail: { most: 10, windowMs: 60 * minute },
  /** Clients that are registered by OAuth from one client address. */
  register_client: { most: 20, windowMs: 60 * minute },
} as const

export type Attempt = keyof typeof attemptLimits

export interface AttemptLimiter {
  /** Counts an attempt before it is made; refuses with RATE_LIMITED when the window is full. */
  take(attempt: Attempt, subject: string): Promise<void>
  /** Begins anew: the subject has shown who it is. */
  forget(attempt: Attempt, subject: string): Promise<void>
}

export interface AttemptServices {
  attempts: AttemptLimiter
}

/** Counts attempts in the store, beside the rates of calls. Subjects are kept as hashes. */
export function createAttemptLimiter(db: Db): AttemptLimiter {
  const rates = db.collection<WindowRow>('rates', unjournaled)
  const count = createWindowCounter(rates)
  return {
    async take(attempt, subject) {
      const { most, windowMs } = attemptLimits[attempt]
      const { count: nth, leftMs } = await count({ key: keyOf(attempt, subject), windowMs })
      if (nth > most) throw tooMany(leftMs)
    },
    async forget(attempt, subject) {
      await rates.deleteOne({ _id: keyOf(attempt, subject) })
    },
  }
}

function keyOf(attempt: Attempt, subject: string): string {
  return `${attempt}:${createHash('sha256').update(subject).digest('hex')}`
}

function tooMany(leftMs: number): AppError {
  const minutes = Math.max(1, Math.ceil(leftMs / minute))
  const when = minutes === 1 ? 'in a minute' : `in ${minutes} minutes`
  return new AppError('RATE_LIMITED', `Too many attempts. Try again ${when}.`, {
    retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1000)),
  })
}
