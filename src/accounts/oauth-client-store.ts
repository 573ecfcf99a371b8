import type { Db } from 'mongodb'
import { hashSecretInMetadata } from './client-secret.ts'

/** What is known of registered OAuth clients beside what they say of themselves. */
export interface OauthClientStore {
  /** Keeps a registered client, which otherwise goes a day after its registration: somebody has let it in. */
  approveClient(clientId: string): Promise<void>
  /** Whether somebody has ever let a registered client in. */
  isClientApproved(clientId: string): Promise<boolean>
  /** Hashes the secrets that earlier versions kept in the clear; returns how many there were. */
  hashPlaintextSecrets(): Promise<number>
}

interface Row {
  _id: string
  payload: string
  expiresAt: Date | null
}

/** The `_id` of clients lies between these two. */
const clientIdRange = { $gte: 'Client:', $lt: 'Client;' }

/** Registered clients on MongoDB: rows of the collection `oauth`. */
export function createOauthClientStore(db: Db): OauthClientStore {
  const rows = db.collection<Row>('oauth')
  return {
    async approveClient(clientId) {
      await rows.updateOne({ _id: `Client:${clientId}` }, { $set: { expiresAt: null } })
    },
    async isClientApproved(clientId) {
      const approved = { _id: `Client:${clientId}`, expiresAt: null }
      return (await rows.findOne(approved, { projection: { _id: 1 } })) !== null
    },
    async hashPlaintextSecrets() {
      let hashed = 0
      // As the key of a JSON text: inside a value its quotes would be escaped.
      for await (const { _id, payload } of rows.find({ _id: clientIdRange, payload: /"client_secret":/ })) {
        const hashedPayload = JSON.stringify(hashSecretInMetadata(JSON.parse(payload)))
        hashed += (await rows.updateOne({ _id, payload }, { $set: { payload: hashedPayload } })).modifiedCount
      }
      return hashed
    },
  }
}
