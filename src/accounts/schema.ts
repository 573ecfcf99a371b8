import { z } from 'zod'

export const Whoami = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  emailKind: z.enum(['personal', 'work']),
  emailDomain: z.string().nullable(),
  tier: z.string(),
  tierDisplay: z.string(),
  pricingCohort: z.string(),
  itemLimit: z.int(),
  itemCount: z.int(),
  ownedCount: z.int(),
  subscribedCount: z.int(),
  monthlyReadLimit: z.int().nullable().describe('Null: unlimited.'),
  monthlyReadsUsed: z.int(),
  readLimitMessage: z.string().nullable().describe('Show it to the user if it is not null.'),
  storageMb: z.int().nullable(),
  storageUsedMb: z.number(),
  canPublishToMarketplace: z.boolean(),
  trial: z.null(),
})
export type Whoami = z.infer<typeof Whoami>

export const NoInput = z.strictObject({})
export type NoInput = z.infer<typeof NoInput>
