import { hash } from 'node:crypto'
import type { Collection, Db, Filter } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'
import { batchLoad } from '../runtime/batch.ts'
import { createOauthClientStore, type OauthClientStore } from './oauth-client-store.ts'
import { toAccount, type AccountRow } from './account-row.ts'
import { type Account } from '../core/account.ts'

/** A stored object of the authorization server. */
export interface OauthObject {
  /** Not interpreted by the store. */
  payload: Record<string, unknown>
  /** When an authorization code, refresh token or proof was consumed; null if it has not been. */
  consumedAt: Date | null
}

/** Key of an object. The id of a token or code is the secret itself. */
export interface OauthObjectKey {
  kind: string
  id: string
}

/** An application that acts for an account, based on one consent (grant). */
export interface Connection {
  id: string
  clientId: string
  app: ConnectedApp
  scopes: string[]
  connectedAt: Date
  lastUsedAt: Date
}

/** Name and destination of an application at the time of consent. */
export interface ConnectedApp {
  name: string
  /** Where the authorization response was sent: a host, or a private URI scheme. */
  destination: string
}

/** An access token with its account, which each call checks. */
export interface AccessToken {
  account: Account
  payload: Record<string, unknown>
  /** The name of the application when the token was issued; null if it is not known. */
  appName: string | null
  /** The last recorded use. */
  usedAt: Date | null
}

export interface OauthStore extends OauthClientStore {
  /** Adds or replaces an object that expires after `ttlSeconds`; undefined: never. */
  save(name: OauthObjectKey, payload: Record<string, unknown>, ttlSeconds: number | undefined): Promise<void>
  /** An unexpired object; null if there is none. */
  find(name: OauthObjectKey): Promise<OauthObject | null>
  /** Marks an object as consumed at `at`; false if it was consumed before. Keeps the time of the first call. */
  consume(name: OauthObjectKey, at: Date): Promise<boolean>
  remove(name: OauthObjectKey): Promise<void>
  /** Ends a grant: removes it and everything that was issued for it, also at the same time. Idempotent. */
  endGrant(grantId: string): Promise<void>
  /** An unexpired access token and its account, in one read; null if there is none. */
  findAccessToken(token: string, now: Date): Promise<AccessToken | null>
  /** Records the use of a token and of its connection. */
  touch(token: string, grantId: string, at: Date): Promise<void>
  /** Records the application of a grant. */
  setGrantApp(grantId: string, app: ConnectedApp & { scopes: string[] }): Promise<void>
  /**
   * Extends a grant to `until`, the expiry of its last token; until then it counts as a connection. False if the grant
   * has ended.
   */
  extendGrant(grantId: string, until: Date): Promise<boolean>
  /** The account's connections, most recently used first. */
  listConnections(accountId: string): Promise<Connection[]>
  /** True if the account has a connection with the client. */
  isConnected(accountId: string, clientId: string): Promise<boolean>
  /** Ends connections of the account, like `endGrant`. */
  disconnect(accountId: string, grantIds: readonly string[]): Promise<void>
  /** Removes everything that belongs to an account. */
  removeAccount(accountId: string): Promise<void>
}

export interface OauthStores {
  oauth: OauthStore
}

interface Row {
  _id: string
  kind: string
  /** JSON text, because its keys may contain dots. */
  payload: string
  accountId?: string
  clientId?: string
  /** For a grant, its own id, so that one field finds all objects of a grant. */
  grantId?: string
  consumedAt: Date | null
  createdAt: Date
  expiresAt: Date | null
  usedAt: Date | null
  /** Set once a grant has its first token. */
  connectedAt?: Date
  app?: ConnectedApp & { scopes: string[] }
  /** For an access token, the name in `app` of its grant. Absent in other rows, and in tokens of earlier releases. */
  appName?: string
}

/** Lifetime of a grant without a token, ms. */
const unusedGrantTtlMs = 60 * 60 * 1000

/** Objects of the authorization server on MongoDB: collection `oauth`. Stores tokens, codes and cookies as hashes. */
export function createOauthStore(db: Db, now: () => Date): OauthStore {
  const rows = db.collection<Row>('oauth')
  const clients = createOauthClientStore(db)
  return { ...objectMethods(rows, now), ...tokenMethods(rows), ...connectionMethods(rows, now), ...clients }
}

function objectMethods(rows: Collection<Row>, now: () => Date) {
  return {
    async save({ kind, id }: OauthObjectKey, payload: Record<string, unknown>, ttlSeconds: number | undefined) {
      const at = now()
      const ttlMs = ttlSeconds === undefined ? null : ttlSeconds * 1000
      const effectiveTtlMs = kind === 'Grant' ? unusedGrantTtlMs : ttlMs
      const fields = {
        kind,
        payload: JSON.stringify(payload),
        expiresAt: effectiveTtlMs === null ? null : new Date(at.getTime() + effectiveTtlMs),
        ...indexedFields({ kind, id }, payload),
        ...(kind === 'AccessToken' ? await findAppName(rows, payload['grantId']) : {}),
      }
      const onInsert = { consumedAt: null, createdAt: at, usedAt: null }
      await upsert(rows, rowId({ kind, id }), { fields, onInsert })
    },
    find: async (name: OauthObjectKey) => toObject(await rows.findOne({ _id: rowId(name) }), now()),
    async consume(name: OauthObjectKey, at: Date) {
      const { matchedCount } = await rows.updateOne(
        { _id: rowId(name), consumedAt: null },
        { $set: { consumedAt: at } },
      )
      return matchedCount === 1
    },
    async remove(name: OauthObjectKey) {
      await rows.deleteOne({ _id: rowId(name) })
    },
    endGrant: (grantId: string) => removeGrants(rows, { grantId }),
    removeAccount: (accountId: string) => removeGrants(rows, { accountId }),
  }
}

function tokenMethods(rows: Collection<Row>) {
  const find = batchLoad((ids) =>
    rows
      .aggregate<Row & { account: AccountRow[] }>([
        { $match: { _id: { $in: [...ids] } } },
        { $lookup: { from: 'accounts', localField: 'accountId', foreignField: '_id', as: 'account' } },
      ])
      .toArray(),
  )
  return {
    async findAccessToken(token: string, now: Date) {
      const [row] = await find([rowId({ kind: 'AccessToken', id: token })])
      const account = row?.account[0]
      return row?.expiresAt && row.expiresAt > now && account
        ? {
            account: toAccount(account),
            payload: JSON.parse(row.payload),
            appName: row.appName ?? null,
            usedAt: row.usedAt,
          }
        : null
    },
    async touch(token: string, grantId: string, at: Date) {
      const ids = [rowId({ kind: 'AccessToken', id: token }), rowId({ kind: 'Grant', id: grantId })]
      await rows.updateMany({ _id: { $in: ids } }, { $max: { usedAt: at } })
    },
  }
}

function connectionMethods(rows: Collection<Row>, now: () => Date) {
  return {
    async setGrantApp(grantId: string, app: ConnectedApp & { scopes: string[] }) {
      await rows.updateOne({ _id: rowId({ kind: 'Grant', id: grantId }) }, { $set: { app } })
    },
    async extendGrant(grantId: string, until: Date) {
      const at = now()
      const { matchedCount } = await rows.updateOne({ _id: rowId({ kind: 'Grant', id: grantId }) }, [
        { $set: { expiresAt: until, usedAt: at, connectedAt: { $ifNull: ['$connectedAt', at] } } },
      ])
      return matchedCount === 1
    },
    async listConnections(accountId: string) {
      const found = await rows.find({ accountId, kind: 'Grant', expiresAt: { $gt: now() } }).toArray()
      return found
        .map(toConnection)
        .filter((connection) => connection !== null)
        .sort((a, b) => b.lastUsedAt.getTime() - a.lastUsedAt.getTime())
    },
    async isConnected(accountId: string, clientId: string) {
      const connected = {
        accountId,
        kind: 'Grant',
        clientId,
        connectedAt: { $exists: true },
        expiresAt: { $gt: now() },
      }
      return (await rows.findOne(connected, { projection: { _id: 1 } })) !== null
    },
    disconnect: (accountId: string, grantIds: readonly string[]) =>
      removeGrants(rows, { grantId: { $in: [...grantIds] }, accountId }),
  }
}

/**
 * Removes all rows of a filter. Grants come after their tokens, so that a connection is listed, and can be ended again,
 * until it has no token. Tokens that were stored in the meantime come last: a token is stored before its grant is
 * extended (`extendGrant`), so either this finds the token, or whoever stored it finds no grant.
 */
async function removeGrants(rows: Collection<Row>, filter: Filter<Row>): Promise<void> {
  await rows.deleteMany({ ...filter, kind: { $ne: 'Grant' } })
  await rows.deleteMany({ ...filter, kind: 'Grant' })
  await rows.deleteMany(filter)
}

/** Adds or replaces a row. If two calls insert it concurrently, the second one replaces it. */
async function upsert(
  rows: Collection<Row>,
  _id: string,
  { fields, onInsert }: { fields: Partial<Row>; onInsert: Partial<Row> },
): Promise<void> {
  const write = () => rows.updateOne({ _id }, { $set: fields, $setOnInsert: onInsert }, { upsert: true })
  try {
    await write()
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
    await write()
  }
}

/** Maximum length of the name in a token, in characters. */
const maxAppNameLength = 100

async function findAppName(rows: Collection<Row>, grantId: unknown): Promise<{ appName?: string }> {
  if (typeof grantId !== 'string') return {}
  const row = await rows.findOne({ _id: rowId({ kind: 'Grant', id: grantId }) }, { projection: { app: 1 } })
  return row?.app ? { appName: Array.from(row.app.name).slice(0, maxAppNameLength).join('') } : {}
}

/** Row id of an object: hashes ids that are secrets. */
function rowId({ kind, id }: OauthObjectKey): string {
  if (kind === 'Client' || kind === 'Grant') return `${kind}:${id}`
  return `${kind}:${hash('sha256', id, 'hex')}`
}

function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function indexedFields({ kind, id }: OauthObjectKey, { accountId, clientId, grantId }: Record<string, unknown>) {
  const fields = {
    accountId: asString(accountId),
    clientId: asString(clientId),
    grantId: kind === 'Grant' ? id : asString(grantId),
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

function toObject(row: Row | null, now: Date): OauthObject | null {
  if (!row || (row.expiresAt && row.expiresAt <= now)) return null
  return { payload: JSON.parse(row.payload), consumedAt: row.consumedAt }
}

function toConnection({ _id, clientId, app, connectedAt, usedAt }: Row): Connection | null {
  if (!clientId || !app || !connectedAt) return null
  const { scopes, ...rest } = app
  return {
    id: _id.slice('Grant:'.length),
    clientId,
    app: rest,
    scopes,
    connectedAt,
    lastUsedAt: usedAt ?? connectedAt,
  }
}
