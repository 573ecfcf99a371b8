import { z } from 'zod'
import { Timestamp } from '../core/field-types.ts'
import { nameSchema } from '../core/schema-notes.ts'
import { scopes } from '../core/scopes.ts'

const ApiKeySummary = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.enum(scopes)),
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable(),
  expiresAt: Timestamp.nullable(),
})
nameSchema(ApiKeySummary, 'Key', 'An API key. The key itself is not stored.')

export const ApiKeyList = z.object({ keys: z.array(ApiKeySummary) })
export type ApiKeyList = z.infer<typeof ApiKeyList>

export const CreateApiKeyInput = z.strictObject({
  name: z.string().trim().min(1, 'name is required').max(100),
  scopes: z
    .array(z.enum(scopes))
    .min(1, 'scopes must name at least one scope')
    .transform((requested) => scopes.filter((scope) => requested.includes(scope)))
    .default([...scopes]),
  expiresAt: z.iso
    .datetime({ offset: true, error: 'expiresAt must be an ISO 8601 time or null' })
    .transform((text) => new Date(text))
    .nullable()
    .default(null)
    .describe('null: never expires'),
})
export type CreateApiKeyInput = z.infer<typeof CreateApiKeyInput>

export const CreatedApiKey = ApiKeySummary.omit({ lastUsedAt: true }).extend({
  key: z.string().describe('shown only in this answer'),
})
export type CreatedApiKey = z.infer<typeof CreatedApiKey>
nameSchema(CreatedApiKey, 'CreatedKey', 'A new API key, with the key itself, which is shown once.')

export const RevokeApiKey = z.strictObject({ keyId: z.string().min(1).max(64) })
export type RevokeApiKey = z.infer<typeof RevokeApiKey>

export const RevokedApiKey = z.object({ id: z.string(), revoked: z.literal(true) })
export type RevokedApiKey = z.infer<typeof RevokedApiKey>
