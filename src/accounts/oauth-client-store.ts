import type { Db } from 'mongodb'
import { withSecretHashed } from './client-secret.ts'

/** What is known of registered OAuth clients beside what they say of themselves. */
export interface OauthClientStore {
  /** Keeps a registered client, which otherwise goes a day after its registration: somebody has let it in. */
  keepClient(clientId: string): Promise<void>
  /** Whether somebody has ever let a registered client in. */
  isClientKept(clientId: string): Promise<boolean>
  /** Hashes the secrets that earlier versions kept in the clear; returns how many there were. */
  hashClearSecrets(): Promise<number>
}

interface Row {
  _id: string
  payload: string
  expiresAt: Date | null
}

/** The `_id` of clients lies between these two. */
const clientIds = { $gte: 'Client:', $lt: 'Client;' }

/** Registered clients on MongoDB: rows of the collection `oauth`. */
export function createOauthClientStore(db: Db): OauthClientStore {
  const rows = db.collection<Row>('oauth')
  return {
    async keepClient(clientId) {
      await rows.updateOne({ _id: `Client:${clientId}` }, { $set: { expiresAt: null } })
    },
    async isClientKept(clientId) {
      const kept = { _id: `Client:${clientId}`, expiresAt: null }
      return (await rows.findOne(kept, { projection: { _id: 1 } })) !== null
    },
    async hashClearSecrets() {
      let hashed = 0
      // As the key of a JSON text: inside a value its quotes would be escaped.
      for await (const { _id, payload } of rows.find({ _id: clientIds, payload: /"client_secret":/ })) {
        const sealed = JSON.stringify(withSecretHashed(JSON.parse(payload)))
        hashed += (await rows.updateOne({ _id, payload }, { $set: { payload: sealed } })).modifiedCount
      }
      return hashed
    },
  }
}
