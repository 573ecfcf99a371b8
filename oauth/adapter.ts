import { errors, type Adapter } from 'oidc-provider'
import { hashSecretInMetadata } from '../src/accounts/client-secret.ts'
import type { OauthStore } from '../src/accounts/oauth-store.ts'

/** How long a used refresh token still works: two processes may refresh at once, and an answer may be lost on its way. */
export const refreshLeewayMs = 30_000

/** A registered client goes when nobody has authorized it within this time. */
const unusedClientTtlSeconds = 24 * 60 * 60

interface AdapterOptions {
  store: OauthStore
  /** How long a refresh token lives, seconds: so long a connection outlives its last use. */
  refreshTokenSeconds: number
  now: () => Date
}

/** Makes the adapter of one kind of object, as oidc-provider asks for it. */
export function createAdapter({
  store,
  refreshTokenSeconds: refreshSeconds,
  now,
}: AdapterOptions): (kind: string) => Adapter {
  return (kind) => ({
    async upsert(id, { jti: _secret, ...payload }, expiresIn) {
      if (kind === 'Client') return store.save({ kind, id }, hashSecretInMetadata(payload), unusedClientTtlSeconds)
      await store.save({ kind, id }, shiftTimes(payload, clockOffsetSeconds(now)), expiresIn)
      if (kind !== 'AccessToken' || !payload.grantId) return
      await store.extendGrant(payload.grantId, new Date(now().getTime() + refreshSeconds * 1000))
    },
    async find(id) {
      const found = await store.find({ kind, id })
      if (!found) return undefined
      if (kind === 'Client') return toClientMetadata(found.payload)
      return {
        ...shiftTimes(found.payload, -clockOffsetSeconds(now)),
        jti: id,
        ...consumedField(kind, found.consumedAt, now()),
      }
    },
    // For tokens that end with a session of the provider's, and for the device flow: neither is offered.
    findByUid: () => Promise.resolve(undefined),
    findByUserCode: () => Promise.resolve(undefined),
    async consume(id) {
      const isFirstUse = await store.consume({ kind, id }, now())
      // A code is used once, also when two requests bring it at the same time (RFC 6749, section 4.1.2).
      if (!isFirstUse && kind === 'AuthorizationCode')
        throw new errors.InvalidGrant('authorization code already consumed')
    },
    destroy: (id) => store.remove({ kind, id }),
    revokeByGrantId: (grantId) => store.removeByGrant(kind, grantId),
  })
}

/** Times that the provider sets in what it stores, seconds since 1970. */
const timestampFields = ['iat', 'exp']

/**
 * The provider knows the clock of its machine only. What is stored is in the time that all replicas share, so that a code of
 * one whose clock is wrong is good on another.
 */
function shiftTimes(payload: Record<string, unknown>, seconds: number): Record<string, unknown> {
  if (seconds === 0) return payload
  const shifted = timestampFields.flatMap((name) => {
    const value = payload[name]
    return typeof value === 'number' ? [[name, value + seconds]] : []
  })
  return { ...payload, ...Object.fromEntries(shifted) }
}

/** By how many seconds the shared time is ahead of this machine's. */
function clockOffsetSeconds(now: () => Date): number {
  return Math.round((now().getTime() - Date.now()) / 1000)
}

/** A stored client; where the provider looks for its secret stands the hash, also of a secret that is kept in the clear. */
function toClientMetadata(payload: Record<string, unknown>): Record<string, unknown> {
  const { client_secret_sha256: hash, ...metadata }: Record<string, unknown> = hashSecretInMetadata(payload)
  return hash === undefined ? metadata : { ...metadata, client_secret: hash }
}

function consumedField(kind: string, consumedAt: Date | null, now: Date): { consumed?: number } {
  if (!consumedAt) return {}
  const isWithinLeeway = kind === 'RefreshToken' && now.getTime() - consumedAt.getTime() < refreshLeewayMs
  return isWithinLeeway ? {} : { consumed: Math.floor(consumedAt.getTime() / 1000) }
}
