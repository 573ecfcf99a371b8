import type { Db } from 'mongodb'
import { hashSecretInMetadata } from './client-secret.ts'

/** Approvals and secrets of registered OAuth clients. */
export interface OauthClientStore {
  /** Keeps a client permanently once a user has approved it; other clients expire a day after their registration. */
  approveClient(clientId: string): Promise<void>
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

/** The range of all client `_id`s. */
const clientIdRange = { $gte: 'Client:', $lt: 'Client;' }

/** Registered clients on MongoDB: rows of collection `oauth`. */
export function createOauthClientStore(db: Db): OauthClientStore {
  const rows = db.collection<Row>('oauth')
  // Matches only a key of the JSON text, because quotes inside a value would be escaped.
  const inPlainText = { _id: clientIdRange, payload: /"client_secret":/ }
  return {
    async approveClient(clientId) {
      await rows.updateOne({ _id: `Client:${clientId}` }, { $set: { expiresAt: null } })
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
