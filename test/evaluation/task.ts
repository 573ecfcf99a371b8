import type { Plan } from '../../src/core/plan.ts'
import type { RateBucket } from '../../src/accounts/rate-limiter.ts'
import type { Scope } from '../../src/core/scopes.ts'
import type { BookKey } from './corpus.ts'
import type { Pattern } from './match-pattern.ts'

/** An edit of a page: replaces one text with another. */
export interface Edit {
  book: BookKey
  page: number
  replace: readonly [from: string, to: string]
}

/** A book of another account on the marketplace. */
export interface MarketOffer {
  book: BookKey
  category?: string
  tags?: string[]
  proOnly?: boolean
  /** Whether it is in the user's library already. */
  added?: boolean
}

/** The initial state of a task. Omitted fields are those of `common` in the group, or absent. */
export interface InitialState {
  /** Books of the user, in the order in which they were added to the library. */
  books?: readonly BookKey[]
  shelves?: Record<string, readonly BookKey[]>
  manuscripts?: readonly { title: string; book?: BookKey; trigger?: string; criteria?: string[]; paused?: true }[]
  /** Earlier edits of the user. Each creates a version of its book. */
  edits?: readonly Edit[]
  marketOffers?: readonly MarketOffer[]
  /** Reader requests about a published book of the user. */
  gaps?: readonly { book: BookKey; topic: string; intent: string; readers: number; dismissed?: true }[]
  /** Whether a small PDF was imported. */
  pdf?: true
  /** Changes to the plan of a self-hosted server. */
  plan?: Partial<Plan>
  /** The plan after the library was filled. */
  laterPlan?: Partial<Plan>
  readsUsed?: number
  /** Calls per minute, if they differ from the contract. */
  rateLimits?: Partial<Record<RateBucket, number>>
  scopes?: Scope[]
}

/** A pattern for calls. Ids in arguments are written as `{{book:keeper}}`. */
export interface CallPattern {
  tool: string | readonly string[]
  arguments?: Pattern
  /** The call was refused with such a text. Without this field the call must have succeeded. */
  refusalText?: RegExp
  /** The user's turn, from 0; any turn if omitted. */
  turn?: number
}

/** A step of a good agent: one of the calls, after the named steps. */
export interface Expectation {
  name: string
  anyOf: readonly CallPattern[]
  after?: readonly string[]
}

/** A claim that the answer must make, with a page that supports it. */
export interface Claim {
  /** One paragraph of the answer contains all of these and cites one of the sources. */
  statements: readonly RegExp[]
  /** Each of them supports the claim; its quote is on that page. */
  sources: readonly { book: BookKey; page: number; quote: string }[]
}

export interface Task {
  id: string
  /** The user's messages, one per turn. They never name a tool. */
  userTurns: readonly string[]
  initialState?: InitialState
  /** A change by another person that is made once, as soon as such a call has succeeded. */
  concurrentEdit?: { after: CallPattern; edit: Edit }
  expectedSteps: readonly Expectation[]
  /** Calls that must not be made, tried or not; `atMost` such calls are allowed. */
  forbiddenCalls?: readonly (Omit<CallPattern, 'refused'> & { atMost?: number })[]
  claims?: readonly Claim[]
  /** Required content of answers in addition to claims; `turn` defaults to the last one. */
  answerPatterns?: readonly { matches: RegExp; turn?: number }[]
  /** Forbidden content of any answer. */
  forbiddenTexts?: readonly RegExp[]
  /** The agent must quote the refusal that begins with these words verbatim. */
  relayedRefusal?: string
  limits: { calls: number; tokens: number; reads: number }
}
