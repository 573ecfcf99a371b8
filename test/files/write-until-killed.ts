// A separate process, killed by disk.test.ts: stores numbered files and prints each number once it is stored.
import { openDiskStore } from '../../src/files/disk-store.ts'
import { numberedFile } from './bytes.ts'

const [directory = '', mode = ''] = process.argv.slice(2)
const store = await openDiskStore({ directory, baseUrl: 'http://localhost', secret: 'unused' })
const options = { contentType: 'application/pdf', maxBytes: 10_000_000 }

async function* streamHalf(bytes: Uint8Array) {
  yield bytes.subarray(0, bytes.length / 2)
  process.stdout.write('half\n')
  await new Promise((never) => setTimeout(never, 600_000))
}

async function* streamWhole(bytes: Uint8Array) {
  yield bytes
}

if (mode === 'half') await store.put('books/0', streamHalf(numberedFile(0)), options)
for (let n = 0; ; n++) {
  await store.put(`incoming/${n}`, streamWhole(numberedFile(n)), options)
  await store.move(`incoming/${n}`, `books/${n}`)
  process.stdout.write(`${n}\n`)
}
