import { createHash } from 'node:crypto'
import type { Db } from 'mongodb'
import { unjournaled } from '../db/write-concern.ts'
import { AppError } from '../core/errors.ts'
import { createWindowCounter, type WindowRow } from './window-counter.ts'

const minute = 60_000
const day = 24 * 60 * minute

/**
 * Limits on attempts before a sign-in, and on actions that neither the limits per minute nor the plans bound. A window
 * begins with its first attempt.
 */
export const attemptLimits = {
  /** Wrong passwords for one email address from one client address. */
  password_network: { max: 10, windowMs: 15 * minute },
  /** Wrong passwords for one account in one browser that is or has been signed in to it. */
  password_browser: { max: 10, windowMs: 15 * minute },
  /** Wrong passwords for one email address from all clients, except browsers with a window of their own. */
  password_address: { max: 100, windowMs: 60 * minute },
  /** Sign-ins from one client address. */
  sign_in: { max: 60, windowMs: 15 * minute },
  /** Audit log entries about wrong passwords for unknown addresses, for the whole server. */
  audit_unknown: { max: 1000, windowMs: 60 * minute },
  /** New accounts from one client address. */
  sign_up: { max: 10, windowMs: 60 * minute },
  /** New accounts, or links that create one, for people without an invitation, from all clients. */
  open_sign_up_in_all: { max: 1000, windowMs: 60 * minute },
  /** Requests for a reset link from one client address. */
  reset_request: { max: 20, windowMs: 60 * minute },
  /** Requests for a reset link to one email address, from all clients, whether or not it has an account. */
  reset_mail: { max: 4, windowMs: 60 * minute },
  /** Confirmation links to one email address, whether or not it has an account. */
  confirm_mail: { max: 4, windowMs: 60 * minute },
  /** Changes of the address that one account asks for. */
  change_email: { max: 10, windowMs: 60 * minute },
  /** Team invitations that one account sends or renews, to all addresses and in all teams. */
  invite: { max: 50, windowMs: day },
  /** Team invitations to one email address, from all teams. */
  invite_mail: { max: 10, windowMs: 60 * minute },
  /** Support reports that one account sends. */
  report: { max: 50, windowMs: day },
  /** Books that one account suggests to the librarians. */
  suggest: { max: 100, windowMs: day },
  /** Drafts and previews of one account. */
  editor: { max: 600, windowMs: 10 * minute },
  /** OAuth client registrations from one client address. */
  register_client: { max: 20, windowMs: 60 * minute },
  /** OAuth client registrations through one address that forwards client addresses and may be an untrusted proxy. */
  register_client_reported: { max: 500, windowMs: 60 * minute },
  /** OAuth client registrations from all clients. */
  register_client_in_all: { max: 5000, windowMs: 60 * minute },
  /** OAuth authorizations started in browsers without a session from one network. */
  authorize: { max: 60, windowMs: 10 * minute },
  /**
   * OAuth authorizations started in browsers without a session, from all networks: limits what anonymous visitors can
   * make the server store.
   */
  authorize_in_all: { max: 10_000, windowMs: 10 * minute },
  /** OAuth authorizations started by one signed-in account. */
  authorize_signed_in: { max: 60, windowMs: 10 * minute },
  /** OAuth client metadata documents fetched for one network. */
  fetch_client: { max: 60, windowMs: 10 * minute },
} as const

export type AttemptKind = keyof typeof attemptLimits

export interface AttemptLimiter {
  /** Counts an attempt; call it before the attempt. Refuses with RATE_LIMITED if the window is full. */
  consume(attempt: AttemptKind, subject: string): Promise<void>
  /** Reverts the count of an attempt. */
  undo(attempt: AttemptKind, subject: string): Promise<void>
  /** Resets the count after the subject has proved its identity. */
  reset(attempt: AttemptKind, subject: string): Promise<void>
}

export interface AttemptServices {
  attemptLimiter: AttemptLimiter
}

/** Counts attempts on MongoDB: collection `rates`, shared with the call rates. Stores the SHA-256 of each subject. */
export function createAttemptLimiter(db: Db): AttemptLimiter {
  const rates = db.collection<WindowRow>('rates', unjournaled)
  const countInWindow = createWindowCounter(rates)
  return {
    async consume(attempt, subject) {
      const { max, windowMs } = attemptLimits[attempt]
      const { count, remainingMs } = await countInWindow({ key: attemptKey(attempt, subject), windowMs })
      if (count > max) throw tooManyAttemptsError(attempt, remainingMs)
    },
    async undo(attempt, subject) {
      await rates.updateOne({ _id: attemptKey(attempt, subject), count: { $gt: 0 } }, { $inc: { count: -1 } })
    },
    async reset(attempt, subject) {
      await rates.deleteOne({ _id: attemptKey(attempt, subject) })
    },
  }
}

function attemptKey(attempt: AttemptKind, subject: string): string {
  return `${attempt}:${createHash('sha256').update(subject).digest('hex')}`
}

/** The start of refusals that say more than `Too many attempts`. */
const reasons: Partial<Record<AttemptKind, string>> = {
  password_address: 'Too many attempts for this email address',
  open_sign_up_in_all: 'Too many people are signing up on this server',
  report: `You have sent ${attemptLimits.report.max} reports within a day`,
  suggest: `You have suggested ${attemptLimits.suggest.max} books within a day`,
}

function tooManyAttemptsError(attempt: AttemptKind, remainingMs: number): AppError {
  const alternatives =
    attempt === 'password_address' ? ', use a browser in which you have signed in before, or reset your password' : ''
  const message = `${reasons[attempt] ?? 'Too many attempts'}. Try again ${inTime(remainingMs)}${alternatives}.`
  return new AppError('RATE_LIMITED', message, {
    retryAfterSeconds: Math.max(1, Math.ceil(remainingMs / 1000)),
  })
}

/** Formats a waiting time: in minutes, from two hours on in hours. */
function inTime(remainingMs: number): string {
  const minutes = Math.max(1, Math.ceil(remainingMs / minute))
  if (minutes === 1) return 'in a minute'
  return minutes < 120 ? `in ${minutes} minutes` : `in ${Math.ceil(minutes / 60)} hours`
}
