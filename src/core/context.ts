import type { Account } from './account.ts'
import type { Plan } from './plan.ts'
import type { RateStatus } from './errors.ts'
import type { Scope } from './scopes.ts'

/** Who is calling, with what credential. */
export interface Actor {
  /** The account's id. */
  id: string
  account: Account
  plan: Plan
  scopes: readonly Scope[]
  credential: { kind: 'key' | 'oauth' | 'session' | 'admin' | 'none'; id: string }
}

/** How large an answer may be; each transport has its own unit (bytes over REST, weighted characters over MCP). */
export interface Budget {
  /** What becomes of a book that does not fit: `split` gives the pages that do, `omit` gives none. */
  readonly onOverflow: 'split' | 'omit'
  /** What a piece of text costs inside an answer. */
  cost(text: string): number
  /** What a batch of books may cost together. */
  readonly maxBatchCost: number
  /** What one whole book may cost. */
  readonly maxBookCost: number
  /** What a listing may cost. */
  readonly maxListCost: number
}

export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** The time, which is the store's. */
export interface Clock {
  now: () => Date
}

/** Where people and programs reach this server: an absolute URL without a slash at its end. */
export interface PublicAddress {
  readonly baseUrl: string
}

/** One call: who makes it, through which transport, and what bounds it. The first parameter of every use case has one. */
export interface Call extends Clock {
  readonly actor: Actor
  readonly transport: 'rest' | 'mcp' | 'web' | 'admin'
  readonly budget: Budget
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal
  readonly log: Log
  readonly requestId: string
  /** Hands the state of the caller's rate bucket to the transport. */
  readonly reportRateStatus: (rate: RateStatus | null) => void
  readonly idempotencyKey: string | null
  /** The research session that the request names; whether it exists is not known yet. */
  readonly sessionId: string | null
  /** What the calling program says of itself, for people to recognise it. */
  readonly clientName: string | null
  /** The id that a create must use: the same again when a lost answer is asked for once more. */
  readonly newId: () => string
}
