import type { Account } from './account.ts'
import type { Plan } from './plan.ts'
import type { RateStatus } from './errors.ts'
import type { Scope } from './scopes.ts'

/** The caller and its credential. */
export interface Actor {
  /** The account's id. */
  id: string
  account: Account
  plan: Plan
  scopes: readonly Scope[]
  credential: {
    kind: 'key' | 'oauth' | 'session' | 'admin' | 'none'
    id: string
    /** The name of the API key or connected application; absent for others, and if it is not known. */
    name?: string
    /** When the session last checked the password; absent for other credentials. */
    passwordAt?: Date
  }
}

/** The size budget of a response; each transport has its own unit of cost (bytes over REST, weighted characters over MCP). */
export interface Budget {
  /** For a book that does not fit: `split` returns the pages that fit, `omit` returns none. */
  readonly onOverflow: 'split' | 'omit'
  /** The cost of a text within a response. */
  cost(text: string): number
  /** Maximum cost of a batch of books. */
  readonly maxBatchCost: number
  /** Maximum cost of one whole book. */
  readonly maxBookCost: number
  /** Maximum cost of a list. */
  readonly maxListCost: number
  /** True if the transport sends a large text piece by piece. */
  readonly streamsTexts?: true
}

export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** The current time, by the clock of the store. */
export interface Clock {
  now: () => Date
}

/** The public base URL of this server: absolute, without a trailing slash. */
export interface PublicAddress {
  readonly baseUrl: string
}

/** What operators type on the machine of this server before the arguments of the `lectern` command. */
export interface OperatorCommand {
  readonly command: string
}

/** One call: its caller, transport and limits. The first parameter of every use case includes it. */
export interface Call extends Clock {
  readonly actor: Actor
  readonly transport: 'rest' | 'mcp' | 'web' | 'admin'
  readonly budget: Budget
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  readonly log: Log
  readonly requestId: string
  /** The network address of the client; null if the call has none. IPv6 addresses are truncated to their /64 prefix. */
  readonly clientAddress: string | null
  /** Called with the function that ends a costly call once its answer has been sent; absent: the call ends with its result. */
  readonly endWhenSent?: (end: () => void) => void
  /** Reports the state of the caller's rate bucket to the transport. */
  readonly reportRateStatus: (rate: RateStatus | null) => void
  readonly idempotencyKey: string | null
  /** Id of the research session in the request, not validated yet. */
  readonly sessionId: string | null
  /** Name of the calling program, as it reports itself. */
  readonly clientName: string | null
  /** Returns the id for a new object: the same id when a call is retried with its idempotency key. */
  readonly newId: () => string
}
