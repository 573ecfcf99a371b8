import { owners, reads, librarySlots } from './accounts.ts'
import { bin } from './bin.ts'
import { bookStates, strayPages, versions } from './books.ts'
import type { Check, DoctorContext } from './check.ts'
import { contents, drafts } from './contents.ts'
import { extraction } from './extraction.ts'
import { gaps } from './gaps.ts'
import { figures, originals, strayFiles } from './files.ts'
import { manuscripts } from './manuscripts.ts'
import { listings } from './marketplace.ts'
import { vectors } from './embeddings.ts'
import { searchIndex, strayIndexParts } from './search.ts'
import { sessions } from './sessions.ts'
import { shelves } from './shelves.ts'
import { derivedCounts } from './derived-counts.ts'
import { storedBytes } from './stored-bytes.ts'
import { shares, teams } from './teams.ts'

export interface Diagnosis {
  ok: boolean
  checks: { name: string; ok: boolean; detail: string }[]
}

const reachability: Check = {
  name: 'reach',
  invariant: 'the database and the file store are reachable',
  async run({ db, services }) {
    await db.command({ ping: 1 })
    await services.files.assertReady()
    return []
  },
}

const checks = [
  reachability,
  extraction,
  owners,
  bookStates,
  versions,
  strayPages,
  contents,
  drafts,
  originals,
  strayFiles,
  figures,
  bin,
  librarySlots,
  reads,
  shelves,
  derivedCounts,
  storedBytes,
  manuscripts,
  teams,
  shares,
  listings,
  gaps,
  sessions,
  searchIndex,
  strayIndexParts,
  vectors,
]
const maxListedFindings = 5

/** Checks the stored data without changing it. A check that throws counts as failed. */
export async function runChecks(context: DoctorContext): Promise<Diagnosis> {
  const results: Diagnosis['checks'] = []
  for (const check of checks) results.push({ name: check.name, ...(await runCheck(check, context)) })
  return { ok: results.every(({ ok }) => ok), checks: results }
}

async function runCheck(check: Check, context: DoctorContext): Promise<{ ok: boolean; detail: string }> {
  try {
    const findings = await check.run(context)
    if (findings.length === 0) return { ok: true, detail: check.reservation?.() ?? check.invariant }
    const overflow = findings.length > maxListedFindings ? `; and ${findings.length - maxListedFindings} more` : ''
    return { ok: false, detail: findings.slice(0, maxListedFindings).join('; ') + overflow }
  } catch (error) {
    return { ok: false, detail: `could not be checked: ${error instanceof Error ? error.message : String(error)}` }
  }
}
