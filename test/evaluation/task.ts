import type { Plan } from '../../src/core/plan.ts'
import type { RateBucket } from '../../src/accounts/rate-limiter.ts'
import type { Scope } from '../../src/core/scopes.ts'
import type { BookKey } from './corpus.ts'
import type { Pattern } from './match-pattern.ts'

/** A change of a page that somebody makes: the first words become the others. */
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
  /** It is in the user's library already. */
  added?: boolean
}

/** Where a task begins; what is left out is as in `common` of the group, or absent. */
export interface InitialState {
  /** Books of the user, in the order in which they came into the library. */
  books?: readonly BookKey[]
  shelves?: Record<string, readonly BookKey[]>
  manuscripts?: readonly { title: string; book?: BookKey; trigger?: string; criteria?: string[]; paused?: true }[]
  /** Edits that the user made before, each a version of its book. */
  edits?: readonly Edit[]
  marketOffers?: readonly MarketOffer[]
  /** Searches by readers of a published book of the user's. */
  gaps?: readonly { book: BookKey; topic: string; intent: string; readers: number; dismissed?: true }[]
  /** A small PDF came through the import. */
  pdf?: true
  /** Changes to the plan of a self-hosted server. */
  plan?: Partial<Plan>
  /** The plan after the library was filled. */
  laterPlan?: Partial<Plan>
  readsUsed?: number
  /** Calls a minute, where not those of the contract. */
  rateLimits?: Partial<Record<RateBucket, number>>
  scopes?: Scope[]
}

/** A call as a scorer looks for it; ids in arguments stand as `{{book:keeper}}`. */
export interface CallPattern {
  tool: string | readonly string[]
  arguments?: Pattern
  /** The call was refused with such a text; without it the call must have succeeded. */
  refusalText?: RegExp
  /** In the user's n-th turn, from 0; in any when left out. */
  turn?: number
}

/** A step of a good agent: one of the calls, behind the named steps. */
export interface Expectation {
  name: string
  anyOf: readonly CallPattern[]
  after?: readonly string[]
}

/** Something that the answer must say, with a page that supports it. */
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
  /** A change that somebody else makes once, as soon as such a call has succeeded. */
  concurrentEdit?: { after: CallPattern; edit: Edit }
  expectedSteps: readonly Expectation[]
  /** Calls that must not be made, tried or not; `atMost` such calls are allowed. */
  forbiddenCalls?: readonly (Omit<CallPattern, 'refused'> & { atMost?: number })[]
  claims?: readonly Claim[]
  /** Required content of answers beside claims; `turn` defaults to the last one. */
  answerPatterns?: readonly { matches: RegExp; turn?: number }[]
  /** Forbidden content of any answer. */
  forbiddenTexts?: readonly RegExp[]
  /** A refusal that begins with these words is handed on word for word. */
  relayedRefusal?: string
  limits: { calls: number; tokens: number; reads: number }
}
