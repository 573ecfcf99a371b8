import { newId } from '../core/ids.ts'
import { scopes, type Scope } from '../core/scopes.ts'
import { hashApiKey, generateApiKey } from './api-key.ts'
import type { Clock } from '../core/context.ts'
import type { AccountStores } from './store.ts'

interface NewApiKey {
  name?: string | undefined
  scopes?: Scope[] | undefined
  expiresAt?: Date | null | undefined
  prefix?: 'lectern' | 'ck' | undefined
}

/** Creates an API key. Only this answer holds the key itself; the store holds its hash. */
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
  await accounts.addKey(row, hashApiKey(key))
  return { id, key, createdAt }
}
