import type { Db } from 'mongodb'
import { hashSecretInMetadata } from './client-secret.ts'

/** Approvals and secrets of registered OAuth clients. */
export interface OauthClientStore {
  /**
   * Keeps a registered client for a year after `usedAt`, to within a day: it has been approved, or has got a token. A client that
   * nobody approves expires a day after its registration.
   */
  keepClient(clientId: string, usedAt: Date): Promise<void>
  /** Number of clients whose secret an earlier version has stored in plain text. */
  countPlaintextSecrets(): Promise<number>
  /** Replaces up to `limit` plain-text secrets by their hashes; returns the number of replaced secrets. */
  hashPlaintextSecrets(limit: number): Promise<number>
}

interface Row {
  _id: string
  payload: string
  expiresAt: Date | null
}

const day = 24 * 60 * 60 * 1000
/** Connections end after 90 days without use, so the client has none by then. */
const unusedTtlMs = 365 * day

/** The range of all client `_id`s. */
const clientIdRange = { $gte: 'Client:', $lt: 'Client;' }

/** Registered clients on MongoDB: rows of collection `oauth`. */
export function createOauthClientStore(db: Db): OauthClientStore {
  const rows = db.collection<Row>('oauth')
  // Matches only a key of the JSON text, because quotes inside a value would be escaped.
  const inPlainText = { _id: clientIdRange, payload: /"client_secret":/ }
  return {
    async keepClient(clientId, usedAt) {
      const expiresAt = new Date(usedAt.getTime() + unusedTtlMs)
      // Most tokens change nothing. Without a date, an earlier version has kept it.
      const isDue = [{ expiresAt: null }, { expiresAt: { $lt: new Date(expiresAt.getTime() - day) } }]
      await rows.updateOne({ _id: `Client:${clientId}`, $or: isDue }, { $set: { expiresAt } })
    },
    countPlaintextSecrets: () => rows.countDocuments(inPlainText),
    async hashPlaintextSecrets(limit) {
      let hashed = 0
      for (const { _id, payload } of await rows.find(inPlainText).limit(limit).toArray()) {
        const hashedPayload = JSON.stringify(hashSecretInMetadata(JSON.parse(payload)))
        hashed += (await rows.updateOne({ _id, payload }, { $set: { payload: hashedPayload } })).modifiedCount
      }
      return hashed
    },
  }
}
