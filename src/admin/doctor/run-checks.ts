import { owners, reads, librarySlots } from './accounts.ts'
import { bin } from './bin.ts'
import { bookStates, strayPages, versions } from './books.ts'
import { problemsOf, type Check, type DoctorContext, type Findings } from './check.ts'
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
  checks: CheckResult[]
}

export interface CheckResult {
  name: string
  ok: boolean
  /** The invariant if it holds, otherwise what violates it. */
  detail: string
  /** True for violations of which some can be repaired. */
  repairable?: true
  /** What violated the invariant before the repair. */
  repaired?: string
  /** What an administrator can do about a part of the server that is not well. */
  remedy?: string
}

const checks = [
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
export function runChecks(context: DoctorContext): Promise<Diagnosis> {
  return diagnose((check) => runCheck(check, context))
}

/** Checks the stored data, corrects what other stored data can correct, and checks again what it has corrected. */
export function repairData(context: DoctorContext): Promise<Diagnosis> {
  return diagnose(async (check) => {
    const before = await runCheck(check, context, { repairs: true })
    if (!before.repairable) return before
    return { ...(await runCheck(check, context)), repaired: before.detail }
  })
}

async function diagnose(run: (check: Check) => Promise<CheckResult>): Promise<Diagnosis> {
  const results: CheckResult[] = []
  for (const check of checks) results.push(await run(check))
  return { ok: results.every(({ ok }) => ok), checks: results }
}

async function runCheck(check: Check, context: DoctorContext, { repairs = false } = {}): Promise<CheckResult> {
  const { name } = check
  try {
    const findings = await check.run(context)
    if (findings.length === 0) return { name, ok: true, detail: check.caveat?.() ?? check.invariant }
    const repairable = findings.filter((finding) => typeof finding !== 'string')
    if (repairs) for (const finding of repairable) await finding.repair()
    return { name, ok: false, detail: describe(findings), ...(repairable.length > 0 && { repairable: true }) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { name, ok: false, detail: `could not be checked: ${reason}` }
  }
}

function describe(findings: Findings): string {
  const problems = problemsOf(findings)
  const overflow = problems.length > maxListedFindings ? `; and ${problems.length - maxListedFindings} more` : ''
  return problems.slice(0, maxListedFindings).join('; ') + overflow
}
