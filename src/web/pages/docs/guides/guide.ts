import type { Plans } from '../../../../accounts/plans.ts'
import type { Html } from '../../../components/html.ts'
import type { ApiReference } from '../reference/read-reference.ts'

/** The server data that guides use. */
export interface GuideContext {
  reference: ApiReference
  baseUrl: string
  plans: Pick<Plans, 'byTier' | 'tiers' | 'defaultTier'>
  /** True if clients can sign in with OAuth. */
  oauth: boolean
}

/** A page of the reference about a topic that several operations share. */
export interface Guide {
  slug: string
  /** Its label in the left column. */
  label: string
  title: string
  /** The purpose of the page, in a sentence. */
  lead: string
  content(context: GuideContext): Html
}
