import { z } from 'zod'
import { scopes } from '../core/scopes.ts'

const Key = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.enum(scopes)),
  createdAt: z.string(),
  lastUsedAt: z.string().nullable(),
  expiresAt: z.string().nullable(),
})

export const KeyList = z.object({ keys: z.array(Key) })
export type KeyList = z.infer<typeof KeyList>

export const NewKey = z.strictObject({
  name: z.string().trim().min(1, 'name is required').max(100),
  scopes: z
    .array(z.enum(scopes))
    .min(1, 'scopes must name at least one scope')
    .transform((given) => scopes.filter((scope) => given.includes(scope)))
    .default([...scopes]),
  expiresAt: z.iso
    .datetime({ offset: true, error: 'expiresAt must be an ISO 8601 time or null' })
    .transform((text) => new Date(text))
    .nullable()
    .default(null)
    .describe('null: never'),
})
export type NewKey = z.infer<typeof NewKey>

export const MadeKey = Key.omit({ lastUsedAt: true }).extend({ key: z.string().describe('shown this once') })
export type MadeKey = z.infer<typeof MadeKey>

export const RevokeKey = z.strictObject({ keyId: z.string().min(1).max(64) })
export type RevokeKey = z.infer<typeof RevokeKey>

export const RevokedKey = z.object({ id: z.string(), revoked: z.literal(true) })
export type RevokedKey = z.infer<typeof RevokedKey>
