import { z } from 'zod'
import { Count, Email } from '../core/field-types.ts'
import { nameSchema } from '../core/schema-notes.ts'

export const Whoami = z.object({
  id: z.string(),
  email: Email,
  name: z.string(),
  emailKind: z.enum(['personal', 'work']),
  emailDomain: z.string().nullable(),
  tier: z.string(),
  tierDisplay: z.string(),
  pricingCohort: z.string(),
  itemLimit: Count,
  itemCount: Count,
  ownedCount: Count,
  subscribedCount: Count,
  monthlyReadLimit: Count.nullable().describe('Null: unlimited.'),
  monthlyReadsUsed: Count,
  readLimitMessage: z.string().nullable().describe('Show it to the user if it is not null.'),
  storageMb: Count.nullable(),
  storageUsedMb: z.number(),
  canPublishToMarketplace: z.boolean(),
  trial: z.null(),
})
export type Whoami = z.infer<typeof Whoami>
nameSchema(Whoami, 'Account', 'The account that calls, the limits of its plan and what it has used.')

export const NoInput = z.strictObject({})
export type NoInput = z.infer<typeof NoInput>
