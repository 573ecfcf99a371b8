import type { Collection, Db, WithId } from 'mongodb'
import type { Account } from '../core/account.ts'
import { AppError, isDuplicateKey } from '../core/errors.ts'
import { toAccount, type AccountOptions, type AccountRow } from './account-row.ts'
import { createKeySlots, renewAfterMs } from './key-slot-store.ts'
import { createLibrarySlots, type LibrarySlotStore } from './library-slot-store.ts'
import { cachedRead } from '../db/cached-reads.ts'
import { batchLoad } from '../runtime/batch.ts'
import type { Scope } from '../core/scopes.ts'

export interface ApiKey {
  id: string
  accountId: string
  name: string
  scopes: Scope[]
  createdAt: Date
  lastUsedAt: Date | null
  expiresAt: Date | null
  revokedAt: Date | null
}

export interface AccountStore extends LibrarySlotStore {
  /** Adds an account; refuses a taken address, and a second first account, with CONFLICT. */
  create(account: Account, options?: AccountOptions): Promise<void>
  byId(id: string): Promise<Account | null>
  /** The existing accounts among `ids`, in no order. */
  byIds(ids: readonly string[]): Promise<Account[]>
  byEmail(email: string): Promise<Account | null>
  /** The addresses among `emails` (in lower case) that have an account. */
  takenEmails(emails: readonly string[]): Promise<Set<string>>
  /** Accounts without a recorded proof of their address. */
  listUnproven(): AsyncIterable<Account>
  /** Records that the address of an account is proven; false if it was recorded before. */
  proveEmail(id: string, at: Date): Promise<boolean>
  /**
   * Replaces the address `from` of an account by the proven address `to`; false if the account has another address.
   * Refuses a taken address with CONFLICT.
   */
  replaceEmail(id: string, change: { from: string; to: string; provenAt: Date }): Promise<boolean>
  /** The account of an address with the PHC string of its password; null if it has no password. */
  findWithPassword(email: string): Promise<{ account: Account; password: string | null } | null>
  /**
   * Replaces the PHC string of the password; with `expectedPassword`, only if it is that one. False if nothing was
   * replaced.
   */
  setPassword(id: string, password: string, expectedPassword?: string): Promise<boolean>
  /** True if the server has any account. */
  hasAny(): Promise<boolean>
  /** Every account, oldest first. */
  all(): AsyncIterable<Account>
  /** Changes name, plan, suspension or the picked books; false if the account does not exist. */
  change(id: string, fields: AccountChange): Promise<boolean>
  /** Accounts with a pending slot change from before `before`, after a crash. */
  listStalePending(before: Date): AsyncIterable<Account>
  /**
   * Adds a key; false if the account has `maxLiveKeys` live ones. `now` is read again after the write, to detect that
   * the process was suspended and its slot released.
   */
  addKey(key: ApiKey, hash: string, now: () => Date): Promise<boolean>
  /** The key with this hash and its account, in one read; includes revoked and expired keys. */
  byKeyHash(hash: string): Promise<{ key: ApiKey; account: Account } | null>
  listKeys(accountId: string): Promise<ApiKey[]>
  removeKeys(accountId: string): Promise<void>
  /** Revokes all keys of the account; returns how many were active. */
  revokeKeys(accountId: string, at: Date): Promise<number>
  /** Revokes a key of the account, or of any account with null; false if it does not exist or is already revoked. */
  revokeKey(accountId: string | null, id: string, at: Date): Promise<boolean>
  /** Records the use of a key. Callers limit this to once a minute. */
  recordKeyUse(hash: string, at: Date): Promise<void>
}

export interface AccountStores {
  accounts: AccountStore
}

type AccountChange = Partial<Pick<Account, 'name' | 'tier' | 'suspendedAt' | 'usable' | 'reading' | 'embeddings'>>

type KeyRow = Omit<ApiKey, 'id'> & { _id: string; keyId: string }

/** Accounts and keys on MongoDB: collections `accounts` and `keys`. */
export function createAccountStore(db: Db): AccountStore {
  const accounts = db.collection<AccountRow>('accounts')
  return { ...accountMethods(accounts), ...createLibrarySlots(accounts), ...keyMethods(db) }
}

function accountMethods(accounts: Collection<AccountRow>) {
  return {
    async create({ id, ...fields }: Account, options: AccountOptions = {}) {
      try {
        await accounts.insertOne({ _id: id, ...fields, ...options })
      } catch (cause) {
        throw isDuplicateKey(cause) ? takenEmailError(fields.email, cause) : cause
      }
    },
    byId: async (id: string) => toAccount(await accounts.findOne({ _id: id })),
    byIds: async (ids: readonly string[]) =>
      (await accounts.find({ _id: { $in: [...ids] } }).toArray()).map((row) => toAccount(row)),
    byEmail: async (email: string) => toAccount(await accounts.findOne({ email: email.toLowerCase() })),
    async takenEmails(emails: readonly string[]) {
      if (emails.length === 0) return new Set<string>()
      const rows = await accounts.find({ email: { $in: [...emails] } }, { projection: { email: 1 } }).toArray()
      return new Set(rows.map(({ email }) => email))
    },
    async *listUnproven() {
      for await (const row of accounts.find({ emailProvenAt: null })) yield toAccount(row)
    },
    async proveEmail(id: string, at: Date) {
      const unproven = { _id: id, emailProvenAt: null }
      return (await accounts.updateOne(unproven, { $set: { emailProvenAt: at } })).modifiedCount === 1
    },
    async replaceEmail(id: string, { from, to, provenAt }: { from: string; to: string; provenAt: Date }) {
      try {
        const change = { $set: { email: to, emailProvenAt: provenAt } }
        return (await accounts.updateOne({ _id: id, email: from }, change)).matchedCount === 1
      } catch (cause) {
        throw isDuplicateKey(cause) ? takenEmailError(to, cause) : cause
      }
    },
    async findWithPassword(email: string) {
      const row = await accounts.findOne({ email: email.toLowerCase() })
      return row && { account: toAccount(row), password: row.password ?? null }
    },
    async setPassword(id: string, password: string, expectedPassword?: string) {
      const filter = { _id: id, ...(expectedPassword === undefined ? {} : { password: expectedPassword }) }
      return (await accounts.updateOne(filter, { $set: { password } })).matchedCount === 1
    },
    hasAny: async () => (await accounts.findOne({}, { projection: { _id: 1 } })) !== null,
    async *all() {
      for await (const row of accounts.find({}, { sort: { _id: 1 } })) yield toAccount(row)
    },
    async change(id: string, fields: AccountChange) {
      const { matchedCount } = await accounts.updateOne({ _id: id }, { $set: fields })
      return matchedCount === 1
    },
    async *listStalePending(before: Date) {
      for await (const row of accounts.find({ 'pending.at': { $lt: before } })) yield toAccount(row)
    },
  }
}

function takenEmailError(email: string, cause: unknown): AppError {
  return new AppError('CONFLICT', `There is an account for ${email} already.`, { cause })
}

function keyMethods(db: Db) {
  const keys = db.collection<KeyRow>('keys')
  const listKeys = async (accountId: string) =>
    (await keys.find({ accountId }).sort({ createdAt: 1 }).toArray()).map(toKey)
  const slots = createKeySlots(db, listKeys)
  const find = batchLoad((hashes) =>
    keys
      .aggregate<KeyRow & { account: AccountRow[] }>([
        { $match: { _id: { $in: [...hashes] } } },
        { $lookup: { from: 'accounts', localField: 'accountId', foreignField: '_id', as: 'account' } },
      ])
      .toArray(),
  )
  return {
    async addKey({ id, ...fields }: ApiKey, hash: string, now: () => Date) {
      const { accountId, createdAt } = fields
      if (!(await slots.take(accountId, { id, createdAt }))) return false
      await keys.insertOne({ _id: hash, keyId: id, ...fields })
      const at = now()
      if (at.getTime() - createdAt.getTime() < renewAfterMs || (await slots.renew(accountId, id, at))) return true
      if (await slots.take(accountId, { id, createdAt: at })) return true
      await keys.deleteOne({ _id: hash })
      return false
    },
    byKeyHash: cachedRead(db, ['keys', 'accounts'], async (hash) => {
      const [row] = await find([hash])
      const account = row?.account[0]
      return row && account ? { key: toKey(row), account: toAccount(account) } : null
    }),
    listKeys,
    async removeKeys(accountId: string) {
      await keys.deleteMany({ accountId })
      await slots.removeAccount(accountId)
    },
    async revokeKey(accountId: string | null, id: string, at: Date) {
      const ownerFilter = accountId === null ? {} : { accountId }
      const { matchedCount } = await keys.updateOne(
        { keyId: id, ...ownerFilter, revokedAt: null },
        { $set: { revokedAt: at } },
      )
      return matchedCount === 1
    },
    async revokeKeys(accountId: string, at: Date) {
      return (await keys.updateMany({ accountId, revokedAt: null }, { $set: { revokedAt: at } })).modifiedCount
    },
    async recordKeyUse(hash: string, at: Date) {
      await keys.updateOne({ _id: hash }, { $max: { lastUsedAt: at } })
    },
  }
}

function toKey({
  keyId,
  accountId,
  name,
  scopes,
  createdAt,
  lastUsedAt,
  expiresAt,
  revokedAt,
}: WithId<KeyRow>): ApiKey {
  return { id: keyId, accountId, name, scopes, createdAt, lastUsedAt, expiresAt, revokedAt }
}
