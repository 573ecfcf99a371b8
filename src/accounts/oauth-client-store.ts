import type { Db } from 'mongodb'
import { hashSecretInMetadata } from './client-secret.ts'

/** Approvals and secrets of registered OAuth clients. */
export interface OauthClientStore {
  /** Keeps a client for good, after a first person has approved it; others expire a day after their registration. */
  approveClient(clientId: string): Promise<void>
  /** True when any person has approved the client. */
  isClientApproved(clientId: string): Promise<boolean>
  /** Number of clients whose secret an earlier version has stored as plain text. */
  countPlaintextSecrets(): Promise<number>
  /** Replaces up to `limit` secrets that are stored as plain text by their hashes; returns how many. */
  hashPlaintextSecrets(limit: number): Promise<number>
}

interface Row {
  _id: string
  payload: string
  expiresAt: Date | null
}

/** Range that holds the `_id` of every client. */
const clientIdRange = { $gte: 'Client:', $lt: 'Client;' }

/** Registered clients on MongoDB: rows of collection `oauth`. */
export function createOauthClientStore(db: Db): OauthClientStore {
  const rows = db.collection<Row>('oauth')
  // Matches a key of the JSON text only: inside a value its quotes would be escaped.
  const inPlainText = { _id: clientIdRange, payload: /"client_secret":/ }
  return {
    async approveClient(clientId) {
      await rows.updateOne({ _id: `Client:${clientId}` }, { $set: { expiresAt: null } })
    },
    async isClientApproved(clientId) {
      const approved = { _id: `Client:${clientId}`, expiresAt: null }
      return (await rows.findOne(approved, { projection: { _id: 1 } })) !== null
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
