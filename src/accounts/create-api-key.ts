import { AppError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { scopes, type Scope } from '../core/scopes.ts'
import { hashApiKey, generateApiKey } from './api-key.ts'
import type { Clock } from '../core/context.ts'
import { maxLiveKeys } from './key-slot-store.ts'
import type { AccountStores } from './store.ts'

interface NewApiKey {
  name?: string | undefined
  scopes?: Scope[] | undefined
  expiresAt?: Date | null | undefined
  prefix?: 'lectern' | 'ck' | undefined
}

/**
 * Creates an API key. Only this answer contains the key itself; the store has its hash. Refuses with KEY_LIMIT_EXCEEDED
 * if the account has `maxLiveKeys` live keys.
 */
export async function createApiKey(
  { accounts, now }: Clock & AccountStores,
  accountId: string,
  options: NewApiKey,
): Promise<{ id: string; key: string; createdAt: Date }> {
  const key = generateApiKey(options.prefix)
  const createdAt = now()
  const id = newId(createdAt)
  const row = {
    id,
    accountId,
    name: options.name ?? 'API key',
    scopes: options.scopes ?? [...scopes],
    createdAt,
    lastUsedAt: null,
    expiresAt: options.expiresAt ?? null,
    revokedAt: null,
  }
  if (!(await accounts.addKey(row, hashApiKey(key), now))) {
    const message = `This account has ${maxLiveKeys} API keys, the most it may have. Revoke one that is no longer used (page /keys, or lectern key revoke), then create the key again.`
    throw new AppError('KEY_LIMIT_EXCEEDED', message)
  }
  return { id, key, createdAt }
}
