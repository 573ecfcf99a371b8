import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { builtInPlans, PlanSchema } from '../accounts/plans.ts'
import type { SignUpMode } from '../accounts/sign-up-mode.ts'
import type { Plan } from '../core/plan.ts'

/** Reads the plans from a file and adds its errors to `problems`. Without a file, returns the built-in plans. */
export function readPlans(file: string | undefined, problems: string[]): readonly Plan[] {
  if (file === undefined) return builtInPlans
  try {
    return z
      .array(PlanSchema)
      .min(1)
      .parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    problems.push(
      `LECTERN_PLANS_FILE: ${error instanceof z.ZodError ? z.prettifyError(error) : `cannot be used: ${(error as Error).message}`}`,
    )
    return builtInPlans
  }
}

/** The default tier of new accounts. Strangers get the smallest built-in plan, which a file of plans may lack. */
export function defaultPlanFor(signUp: SignUpMode, plans: readonly Plan[]): string {
  return signUp === 'open' && plans.some(({ tier }) => tier === 'FREE') ? 'FREE' : 'SELF_HOSTED'
}
