import type { Plans } from '../../../../accounts/plans.ts'
import type { Html } from '../../../components/html.ts'
import type { ApiReference } from '../reference/read-reference.ts'

/** What guides tell about. */
export interface GuideContext {
  reference: ApiReference
  baseUrl: string
  plans: Pick<Plans, 'byTier' | 'tiers' | 'defaultTier'>
  /** True if clients can sign in by OAuth. */
  oauth: boolean
}

/** A page of the reference about a subject that several operations share. */
export interface Guide {
  slug: string
  /** In the left column. */
  label: string
  title: string
  /** What the page is for, in a sentence. */
  lead: string
  content(context: GuideContext): Html
}
