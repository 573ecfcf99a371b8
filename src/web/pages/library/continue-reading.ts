import type { Html } from '../../components/layout.ts'
import type { SignedInVisit } from '../../visit.ts'

/** The books that somebody is in the middle of, with a link to the page; empty if there are none. */
export async function continueReading(_ctx: SignedInVisit['ctx']): Promise<Html | ''> {
  return ''
}
