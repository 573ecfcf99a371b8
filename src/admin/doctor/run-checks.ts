import { owners, reads, slots } from './accounts.ts'
import { bookStates, strayPages, versions } from './books.ts'
import type { Check, Clinic } from './check.ts'
import { contents } from './contents.ts'
import { gaps } from './gaps.ts'
import { originals, strayFiles } from './files.ts'
import { manuscripts } from './manuscripts.ts'
import { listings } from './marketplace.ts'
import { searchIndex, strayIndex } from './search.ts'
import { sessions } from './sessions.ts'
import { shelves } from './shelves.ts'
import { tallies } from './derived-counts.ts'
import { shares, teams } from './teams.ts'

export interface Diagnosis {
  ok: boolean
  checks: { name: string; ok: boolean; detail: string }[]
}

const reach: Check = {
  name: 'reach',
  promise: 'the store and the files can be reached',
  async run({ db, services }) {
    await db.command({ ping: 1 })
    await services.files.ready()
    return []
  },
}

const checks = [
  reach,
  owners,
  bookStates,
  versions,
  strayPages,
  contents,
  originals,
  strayFiles,
  slots,
  reads,
  shelves,
  tallies,
  manuscripts,
  teams,
  shares,
  listings,
  gaps,
  sessions,
  searchIndex,
  strayIndex,
]
const shown = 5

/** Examines what is stored, without changing anything. A check that cannot be run counts as failed. */
export async function examine(clinic: Clinic): Promise<Diagnosis> {
  const results: Diagnosis['checks'] = []
  for (const check of checks) results.push({ name: check.name, ...(await verdict(check, clinic)) })
  return { ok: results.every(({ ok }) => ok), checks: results }
}

async function verdict(check: Check, clinic: Clinic): Promise<{ ok: boolean; detail: string }> {
  try {
    const findings = await check.run(clinic)
    if (findings.length === 0) return { ok: true, detail: check.promise }
    const more = findings.length > shown ? `; and ${findings.length - shown} more` : ''
    return { ok: false, detail: findings.slice(0, shown).join('; ') + more }
  } catch (error) {
    return { ok: false, detail: `could not be checked: ${error instanceof Error ? error.message : String(error)}` }
  }
}
