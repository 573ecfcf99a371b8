import type { AccountStore } from '../accounts/store.ts'
import type { Account } from './account.ts'
import type { ClosureStore } from '../accounts/closure-store.ts'
import type { AttemptLimiter } from '../accounts/attempt-store.ts'
import type { OauthStore } from '../accounts/oauth-store.ts'
import type { Passwords } from '../accounts/password.ts'
import type { WebSessionStore } from '../accounts/session-store.ts'
import type { TicketStore } from '../accounts/ticket-store.ts'
import type { Plans } from '../accounts/plans.ts'
import type { Plan } from './plan.ts'
import type { ReadMeter } from '../accounts/read-store.ts'
import type { RateLimiter } from '../accounts/rate-store.ts'
import type { Idempotency } from '../accounts/idempotency-store.ts'
import type { AccountEventServices } from '../accounts/events.ts'
import type { BookEventServices } from '../books/events.ts'
import type { BookStore } from '../books/store.ts'
import type { ContentStore } from '../reading/store.ts'
import type { LastReadStore } from '../reading/last-read-store.ts'
import type { WriteStore } from '../writing/store.ts'
import type { UploadStore, JobStore } from '../imports/store.ts'
import type { NotificationStore } from '../notifications/store.ts'
import type { ManuscriptStore } from '../manuscripts/store.ts'
import type { ManuscriptSlotStore } from '../manuscripts/slot-store.ts'
import type { PlacementStore } from '../shelves/placement-store.ts'
import type { ShelfStore } from '../shelves/store.ts'
import type { Mail } from '../mail/mail.ts'
import type { ReadLog } from '../research/read-log-store.ts'
import type { SessionPlaces } from '../research/session-place-store.ts'
import type { SessionStore } from '../research/session-store.ts'
import type { ListingStore } from '../marketplace/listing-store.ts'
import type { SubscriptionSlots } from '../marketplace/slot-store.ts'
import type { SubscriptionStore } from '../marketplace/subscription-store.ts'
import type { DepartmentStore } from '../teams/department-store.ts'
import type { InviteStore } from '../teams/invite-store.ts'
import type { InviteTokens } from '../teams/invite-token.ts'
import type { MemberStore } from '../teams/member-store.ts'
import type { ShareStore } from '../teams/share-store.ts'
import type { TeamStore } from '../teams/store.ts'
import type { SettingsStore } from '../settings/store.ts'
import type { SupportStore } from '../support/store.ts'
import type { SearchStore } from '../search/store.ts'
import type { FileStore } from '../files/store.ts'
import type { GapStore } from '../gaps/store.ts'
import type { SuggestionStore } from '../gaps/suggestion-store.ts'
import type { Queue } from '../imports/queue.ts'
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
  /** `parts`: a book that does not fit gives the pages that do; `whole`: it comes back without pages. */
  readonly mode: 'parts' | 'whole'
  /** What a piece of text costs inside an answer. */
  cost(text: string): number
  /** What a batch of books may cost together. */
  readonly batch: number
  /** What one whole book may cost. */
  readonly book: number
  /** What a listing may cost. */
  readonly list: number
}

export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Everything that outlives a call: made once by `main.ts`. */
export interface Services extends BookEventServices, AccountEventServices {
  accounts: AccountStore
  closures: ClosureStore
  passwords: Passwords
  webSessions: WebSessionStore
  tickets: TicketStore
  oauth: OauthStore
  attempts: AttemptLimiter
  plans: Plans
  reads: ReadMeter
  rates: RateLimiter
  idempotency: Idempotency
  books: BookStore
  contents: ContentStore
  search: SearchStore
  writes: WriteStore
  lastReads: LastReadStore
  uploads: UploadStore
  jobs: JobStore
  shelves: ShelfStore
  placements: PlacementStore
  manuscripts: ManuscriptStore
  manuscriptSlots: ManuscriptSlotStore
  sessions: SessionStore
  sessionPlaces: SessionPlaces
  readLog: ReadLog
  listings: ListingStore
  subscriptions: SubscriptionStore
  subscriptionSlots: SubscriptionSlots
  teams: TeamStore
  members: MemberStore
  departments: DepartmentStore
  shares: ShareStore
  invites: InviteStore
  inviteTokens: InviteTokens
  gaps: GapStore
  suggestions: SuggestionStore
  settings: SettingsStore
  notifications: NotificationStore
  support: SupportStore
  files: FileStore
  queue: Queue
  /** Null where the server has no mail server to hand mails to. */
  mail: Mail | null
  /** Whether machines may tell their host name and system. */
  clientTelemetry: boolean
  baseUrl: string
  now: () => Date
}

/** The time, which is the store's. */
export interface Clock {
  readonly now: () => Date
}

/** Where people and programs reach this server: an absolute URL without a slash at its end. */
export interface PublicAddress {
  readonly baseUrl: string
}

/** One call: who makes it, through which transport, and what bounds it. The first parameter of every use case has one. */
export interface Call extends Clock {
  readonly actor: Actor
  readonly door: 'rest' | 'mcp' | 'web' | 'admin'
  readonly budget: Budget
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal
  readonly log: Log
  readonly requestId: string
  /** Hands the state of the caller's rate bucket to the transport. */
  readonly noteRate: (rate: RateStatus | null) => void
  readonly idempotencyKey: string | null
  /** The research session that the request names; whether it exists is not known yet. */
  readonly sessionId: string | null
  /** What the calling program says of itself, for people to recognise it. */
  readonly client: string | null
  /** The id that a create must use: the same again when a lost answer is asked for once more. */
  readonly newId: () => string
}

export type Context = Call & Services
