// A separate process in its own mount namespace, started by disk.test.ts on a disk of 4 MB; prints its results.
import { readdir } from 'node:fs/promises'
import { openDiskStore } from '../../src/files/disk-store.ts'
import { FileStoreError } from '../../src/files/store.ts'
import { toArray, readBytes, randomFile, streamOf } from './bytes.ts'

const directory = process.argv[2] ?? ''
const config = { directory, baseUrl: 'http://localhost', secret: 'unused' }
const options = { contentType: 'application/pdf', maxBytes: 100_000_000 }
const store = await openDiskStore(config)
const first = randomFile(1_000_000)
await store.put('books/first', streamOf(first.bytes), options)

const refused = await store
  .put('books/large', streamOf(randomFile(8_000_000).bytes), options)
  .catch((error: unknown) => error)
const temporaryFiles = await readdir(`${directory}/.tmp`)
await store.put('books/small', streamOf(randomFile(1_000_000).bytes), options)

// Uses the last block too: reads, opening and readiness need no space.
let n = 0
const fillUntilFull = async () => {
  for (; ; n++) await store.put(`fill/${n}`, streamOf(randomFile(10_000).bytes), options)
}
const last = await fillUntilFull().catch((error: unknown) => error)
const reopened = await openDiskStore(config)
await reopened.assertReady()

process.stdout.write(
  JSON.stringify({
    refused: refused instanceof FileStoreError && refused.code,
    leftovers: temporaryFiles,
    last: last instanceof FileStoreError && last.code,
    readable: (await readBytes(reopened.read('books/first'))).equals(first.bytes),
    books: (await toArray(reopened.list('books/'))).map((file) => file.key),
  }),
)
