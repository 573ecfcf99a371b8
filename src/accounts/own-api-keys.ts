import { AppError } from '../core/errors.ts'
import { requireRecentPassword } from './recent-password.ts'
import { createApiKey } from './create-api-key.ts'
import type { ApiKeyList, CreatedApiKey, CreateApiKeyInput, RevokedApiKey, RevokeApiKey } from './api-key-schema.ts'
import type { NoInput } from './schema.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { AccountStores } from './store.ts'
import type { AuditServices } from './audit.ts'

/** The caller's unrevoked API keys, oldest first. */
export async function listOwnApiKeys(ctx: Call & AccountStores, _: NoInput): Promise<ApiKeyList> {
  const keys = await ctx.accounts.listKeys(ctx.actor.id)
  return {
    keys: keys
      .filter(({ revokedAt }) => revokedAt === null)
      .map(({ id, name, scopes, createdAt, lastUsedAt, expiresAt }) => ({
        id,
        name,
        scopes,
        createdAt: createdAt.toISOString(),
        lastUsedAt: lastUsedAt?.toISOString() ?? null,
        expiresAt: expiresAt?.toISOString() ?? null,
      })),
  }
}

/**
 * Creates an API key of the caller. Only this answer contains the key itself. Refuses a session without a recent
 * password with FORBIDDEN.
 */
export async function createOwnApiKey(
  ctx: Call & AccountStores & PublicAddress & AuditServices,
  { name, scopes, expiresAt }: CreateApiKeyInput,
): Promise<CreatedApiKey> {
  requireRecentPassword(ctx, 'A new API key')
  if (expiresAt && expiresAt <= ctx.now()) {
    throw new AppError('INVALID_INPUT', 'expiresAt must be in the future', { details: { field: 'expiresAt' } })
  }
  const { id, key, createdAt } = await createApiKey(ctx, ctx.actor.id, { name, scopes, expiresAt })
  await ctx.audit.record({ type: 'key_created', by: ctx, detail: { key: id, scopes } })
  return { id, key, name, scopes, createdAt: createdAt.toISOString(), expiresAt: expiresAt?.toISOString() ?? null }
}

/** Revokes an API key of the caller; its next call gets 401. Refuses an unknown or revoked key with NOT_FOUND. */
export async function revokeOwnApiKey(
  ctx: Call & AccountStores & AuditServices,
  { keyId }: RevokeApiKey,
): Promise<RevokedApiKey> {
  if (!(await ctx.accounts.revokeKey(ctx.actor.id, keyId, ctx.now())))
    throw new AppError('NOT_FOUND', 'API key not found, or already revoked.')
  await ctx.audit.record({ type: 'key_revoked', by: ctx, detail: { key: keyId } })
  return { id: keyId, revoked: true }
}
