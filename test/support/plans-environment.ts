import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtInPlans } from '../../src/accounts/plans.ts'
import { type Plan } from '../../src/core/plan.ts'

/** The environment of a server with these plans in addition to the built-in ones, each given as a change to FREE. */
export async function plansEnvironment(
  ...plans: (Partial<Plan> & { tier: string })[]
): Promise<Record<string, string>> {
  const file = join(await mkdtemp(join(tmpdir(), 'lectern-plans-')), 'plans.json')
  const [free] = builtInPlans
  await writeFile(file, JSON.stringify([...builtInPlans, ...plans.map((plan) => ({ ...free, ...plan }))]))
  return { LECTERN_PLANS_FILE: file }
}
