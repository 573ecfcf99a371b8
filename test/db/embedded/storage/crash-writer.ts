import { MongoClient } from 'mongodb'
import { startEmbeddedStore } from '../../../../src/db/embedded/start.ts'

/**
 * Starts the store on a directory, writes endlessly from several connections, and prints the number of each
 * acknowledged write.
 */
const [directory = '', first = '0'] = process.argv.slice(2)
const store = await startEmbeddedStore({ directory })
const client = await new MongoClient(store.url, { maxPoolSize: 8 }).connect()
const writes = client.db('crash').collection<{ _id: number; n?: number; lane: number }>('writes')
await writes.createIndex({ lane: 1, n: 1 })
let next = Number(first)

async function lane(number: number): Promise<never> {
  for (;;) {
    const id = next
    next += 1
    await writes.insertOne({ _id: id, lane: number })
    process.stdout.write(`i${id}\n`)
    await writes.updateOne({ _id: id }, { $set: { n: id } })
    process.stdout.write(`u${id}\n`)
  }
}

await Promise.all(Array.from({ length: 8 }, (_, number) => lane(number)))
