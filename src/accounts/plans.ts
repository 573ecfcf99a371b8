import { z } from 'zod'
import type { Plan } from '../core/plan.ts'

/** Schema of a plan in the configuration. */
export const PlanSchema: z.ZodType<Plan> = z
  .strictObject({
    tier: z.string().min(1).max(40),
    tierDisplay: z.string().min(1).max(80),
    itemLimit: z.int().min(0),
    monthlyReadLimit: z.int().min(0).nullable(),
    previewPages: z.int().min(0).nullable(),
    uploadMb: z.int().min(1),
    storageMb: z.int().min(1).nullable().default(null),
    /** Default: four times `uploadMb`. */
    textMb: z.int().min(1).optional(),
    /** Limited because one document per account contains all shelves, and another all manuscript slots. */
    shelfLimit: z.int().min(0).max(10_000),
    manuscriptSlots: z.int().min(0).max(10_000),
    canPublish: z.boolean(),
  })
  .transform((plan) => ({ ...plan, textMb: plan.textMb ?? 4 * plan.uploadMb }))

export const builtInPlans: readonly Plan[] = [
  {
    tier: 'FREE',
    tierDisplay: 'Personal',
    itemLimit: 20,
    monthlyReadLimit: 500,
    previewPages: 2,
    uploadMb: 25,
    storageMb: 200,
    textMb: 25,
    shelfLimit: 20,
    manuscriptSlots: 1,
    canPublish: false,
  },
  {
    tier: 'PRO',
    tierDisplay: 'Professional',
    itemLimit: 200,
    monthlyReadLimit: null,
    previewPages: null,
    uploadMb: 100,
    storageMb: 5000,
    textMb: 100,
    shelfLimit: 100,
    manuscriptSlots: 10,
    canPublish: true,
  },
  {
    tier: 'SELF_HOSTED',
    tierDisplay: 'Self-hosted',
    itemLimit: 1_000_000,
    monthlyReadLimit: null,
    previewPages: null,
    uploadMb: 500,
    storageMb: null,
    textMb: 500,
    shelfLimit: 1000,
    manuscriptSlots: 1000,
    canPublish: true,
  },
]

/** The available plans and the default one. */
export interface Plans {
  /** The plan of a tier; the default plan for a tier that no longer exists. */
  byTier(tier: string): Plan
  has(tier: string): boolean
  readonly tiers: readonly string[]
  readonly defaultTier: string
}

export interface PlanServices {
  plans: Plans
}

/** Creates the plan table. Throws if two plans have the same tier or the default tier is unknown. */
export function createPlans(plans: readonly Plan[], defaultTier: string): Plans {
  const plansByTier = new Map(plans.map((plan) => [plan.tier, plan]))
  if (plansByTier.size !== plans.length) throw new Error('Two plans have the same tier')
  const fallback = plansByTier.get(defaultTier)
  if (!fallback) throw new Error(`The default plan ${defaultTier} is not among ${[...plansByTier.keys()].join(', ')}`)
  return {
    byTier: (tier) => plansByTier.get(tier) ?? fallback,
    has: (tier) => plansByTier.has(tier),
    tiers: [...plansByTier.keys()],
    defaultTier,
  }
}
