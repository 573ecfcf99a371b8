// A process of its own in a mount namespace of its own, started by disk.test.ts on a disk of 4 MB; prints what it saw.
import { readdir } from 'node:fs/promises'
import { openDiskStore } from '../../src/files/disk-store.ts'
import { FileStoreError } from '../../src/files/store.ts'
import { all, collect, sample, streamOf } from './bytes.ts'

const directory = process.argv[2] ?? ''
const config = { directory, baseUrl: 'http://localhost', secret: 'unused' }
const options = { contentType: 'application/pdf', maxBytes: 100_000_000 }
const store = await openDiskStore(config)
const first = sample(1_000_000)
await store.put('books/first', streamOf(first.bytes), options)

const refused = await store
  .put('books/large', streamOf(sample(8_000_000).bytes), options)
  .catch((error: unknown) => error)
const leftovers = await readdir(`${directory}/.tmp`)
await store.put('books/small', streamOf(sample(1_000_000).bytes), options)

// To the last block: reads, the start and readiness do not need space.
let n = 0
const filling = async () => {
  for (; ; n++) await store.put(`fill/${n}`, streamOf(sample(10_000).bytes), options)
}
const last = await filling().catch((error: unknown) => error)
const reopened = await openDiskStore(config)
await reopened.ready()

process.stdout.write(
  JSON.stringify({
    refused: refused instanceof FileStoreError && refused.code,
    leftovers,
    last: last instanceof FileStoreError && last.code,
    readable: (await collect(reopened.read('books/first'))).equals(first.bytes),
    books: (await all(reopened.list('books/'))).map((file) => file.key),
  }),
)
