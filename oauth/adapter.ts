import { errors, type Adapter } from 'oidc-provider'
import { hashSecretInMetadata } from '../src/accounts/client-secret.ts'
import type { OauthStore } from '../src/accounts/oauth-store.ts'

/**
 * Milliseconds for which a used refresh token stays valid, always with the same successor: two processes may refresh at
 * once, and a response may be lost.
 */
const refreshLeewayMs = 30_000

/** A registered client is deleted if nobody authorizes it within this time. */
const unusedClientTtlSeconds = 24 * 60 * 60

/** The tokens of a connection: their grant lasts until the last of them expires. */
const tokenKinds: ReadonlySet<string> = new Set(['AccessToken', 'RefreshToken'])

interface AdapterOptions {
  store: OauthStore
  /** Lifetime of a refresh token, seconds: a connection expires this long after its last use. */
  refreshTokenSeconds: number
  now: () => Date
}

/** Creates the storage adapter of oidc-provider, one per kind of object. */
export function createAdapter({ store, refreshTokenSeconds, now }: AdapterOptions): (kind: string) => Adapter {
  return (kind) => ({
    async upsert(id, { jti: _secret, ...payload }, expiresIn) {
      if (kind === 'Client') return store.save({ kind, id }, hashSecretInMetadata(payload), unusedClientTtlSeconds)
      await store.save({ kind, id }, shiftTimes(payload, clockOffsetSeconds(now)), expiresIn)
      if (!tokenKinds.has(kind) || !payload.grantId) return
      const until = new Date(now().getTime() + refreshTokenSeconds * 1000)
      if (await store.extendGrant(payload.grantId, until)) {
        if (payload.clientId) await store.keepClient(payload.clientId, now())
        return
      }
      // The connection ended while the token was being issued. Removes what was stored too late.
      await store.endGrant(payload.grantId)
      throw new errors.InvalidGrant('the connection has ended')
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
    // Used by tokens bound to a provider session and by the device flow; neither is enabled.
    findByUid: () => Promise.resolve(undefined),
    findByUserCode: () => Promise.resolve(undefined),
    async consume(id) {
      const isFirstUse = await store.consume({ kind, id }, now())
      // A code is valid once, even if two requests use it at the same time (RFC 6749, section 4.1.2).
      if (!isFirstUse && kind === 'AuthorizationCode')
        throw new errors.InvalidGrant('authorization code already consumed')
    },
    destroy: (id) => store.remove({ kind, id }),
    // Called for each kind of token, at the same time. Each call ends the grant, so that none leaves a token behind.
    revokeByGrantId: (grantId) => store.endGrant(grantId),
  })
}

/** Timestamp fields of the provider's payloads, in seconds since 1970. */
const timestampFields = ['iat', 'exp']

/**
 * The provider uses the clock of its machine. Stored timestamps use the shared clock of all replicas, so that a code
 * issued by a replica with a wrong clock is valid on the others.
 */
function shiftTimes(payload: Record<string, unknown>, seconds: number): Record<string, unknown> {
  if (seconds === 0) return payload
  const shifted = timestampFields.flatMap((name) => {
    const value = payload[name]
    return typeof value === 'number' ? [[name, value + seconds]] : []
  })
  return { ...payload, ...Object.fromEntries(shifted) }
}

/** Seconds by which the shared clock is ahead of this machine's clock. */
function clockOffsetSeconds(now: () => Date): number {
  return Math.round((now().getTime() - Date.now()) / 1000)
}

/** The metadata of a stored client, with the hash of its secret as `client_secret`. */
function toClientMetadata(payload: Record<string, unknown>): Record<string, unknown> {
  const { client_secret_sha256: hash, ...metadata }: Record<string, unknown> = hashSecretInMetadata(payload)
  return hash === undefined ? metadata : { ...metadata, client_secret: hash }
}

function consumedField(kind: string, consumedAt: Date | null, now: Date): { consumed?: number } {
  if (!consumedAt) return {}
  const isWithinLeeway = kind === 'RefreshToken' && now.getTime() - consumedAt.getTime() < refreshLeewayMs
  return isWithinLeeway ? {} : { consumed: Math.floor(consumedAt.getTime() / 1000) }
}
