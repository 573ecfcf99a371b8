import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { builtInPlans, PlanSchema } from '../accounts/plans.ts'
import type { SignUpMode } from '../accounts/sign-up-mode.ts'
import type { Plan } from '../core/plan.ts'

/** The plans of a file; adds to `problems` what is wrong with it. Without a file the built-in ones. */
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

/** The tier of new accounts unless it is set. Strangers get the smallest built-in plan; a file of plans may not have it. */
export function usualPlan(signUp: SignUpMode, plans: readonly Plan[]): string {
  return signUp === 'open' && plans.some(({ tier }) => tier === 'FREE') ? 'FREE' : 'SELF_HOSTED'
}
