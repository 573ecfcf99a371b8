import { randomBytes } from 'node:crypto'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { BSON } from 'mongodb'
import { pack } from 'tar-stream'
import { beforeAll, expect, test } from 'vitest'
import { readArchive } from '../../src/backup/archive-reader.ts'
import { writeArchive } from '../../src/backup/archive-writer.ts'
import { archiveFormat, entryNames } from '../../src/backup/manifest.ts'

const head = { format: archiveFormat, lectern: '1.0.0', schema: 1, at: '2026-11-23T00:00:00.000Z' }
const rest = { isOneMoment: true, missing: [], erased: [], secretMark: 'x' }
const withChecksum = { params: { [constants.ZSTD_c_checksumFlag]: 1 } }
const emptyFrame = zstdCompressSync('', withChecksum)
let whole: Buffer

beforeAll(async () => {
  const output = new PassThrough()
  const written = buffer(output)
  const archive = await writeArchive(output, head)
  const documents = Array.from({ length: 20 }, (_, _id) => BSON.serialize({ _id, text: randomBytes(300) }))
  await archive.addDocuments({ kind: 'documents', collection: 'things', documents })
  await archive.end({ ...head, ...rest, ...archive.totals() })
  const bytes = await written
  // Depending on timing, the compressor adds an empty frame or not. The archive is complete in both cases.
  whole = bytes.subarray(-emptyFrame.length).equals(emptyFrame) ? bytes : Buffer.concat([bytes, emptyFrame])
})

/** Returns the kinds of the parts of an archive that is read in chunks of this size. */
async function read(bytes: Buffer, chunkBytes = 64 * 1024): Promise<string[]> {
  const starts = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, n) => n * chunkBytes)
  const kinds: string[] = []
  for await (const part of readArchive(Readable.from(starts.map((at) => bytes.subarray(at, at + chunkBytes)))))
    kinds.push(part.kind)
  return kinds
}

/** The last 64 positions, and every 37th of the last 4,096. */
const positions = Array.from({ length: 4096 }, (_, n) => n + 1).filter((n) => n <= 64 || n % 37 === 0)
const damaged = /damaged or incomplete/

test.for([1, 3, 4096, 65_536])('a complete archive is accepted, in chunks of %i bytes', async (chunkBytes) => {
  expect(whole.length).toBeGreaterThan(4096)
  expect(await read(whole, chunkBytes)).toEqual(['head', 'documents', 'end'])
})

test('a complete archive is accepted, wherever its last chunk begins', async () => {
  const reads = positions.slice(0, 64).map(async (n) => {
    const chunks = [
      whole.subarray(0, -n),
      whole.subarray(-n, whole.length - n + 2),
      whole.subarray(whole.length - n + 2),
    ]
    const kinds: string[] = []
    for await (const { kind } of readArchive(Readable.from(chunks.filter(({ length }) => length > 0)))) kinds.push(kind)
    return kinds
  })
  for (const kinds of await Promise.all(reads)) expect(kinds).toEqual(['head', 'documents', 'end'])
})

test('an archive that lacks its last bytes is refused, however few are missing', async () => {
  for (const n of positions) {
    const reading = read(whole.subarray(0, -n))
    if (n === emptyFrame.length) expect(await reading).toContain('end')
    else await expect(reading, `without its last ${n} bytes`).rejects.toThrow(damaged)
  }
})

test('an archive with a flipped bit near its end is refused, unless its content is unchanged', async () => {
  const content = zstdDecompressSync(whole)
  const what = (n: number) => `a bit ${n} bytes before the end`
  let refused = 0
  for (const n of positions) {
    const changed = Buffer.from(whole)
    const at = changed.length - n
    changed[at] = (changed[at] ?? 0) ^ (1 << (n % 8))
    const outcome = String(await read(changed).catch(String))
    // Some bits are unused or have equivalent values: for example, a run of zeros can be copied from several places.
    if (outcome === 'head,documents,end') expect(zstdDecompressSync(changed).equals(content), what(n)).toBe(true)
    else expect(outcome, what(n)).toMatch(damaged)
    if (outcome !== 'head,documents,end') refused += 1
  }
  expect(refused).toBeGreaterThan(positions.length * 0.9)
})

test('data after the end is refused', async () => {
  await expect(read(Buffer.concat([whole, Buffer.from('more')]))).rejects.toThrow(damaged)
  await expect(read(Buffer.concat([whole, whole]))).rejects.toThrow(damaged)
})

test('a frame without a checksum and a tar without its end are refused', async () => {
  const tar = pack()
  tar.entry({ name: entryNames.head }, JSON.stringify(head))
  const empty = { collections: {}, files: { count: 0, hash: '0'.repeat(64), bytes: 0 } }
  tar.entry({ name: entryNames.manifest }, JSON.stringify({ ...head, ...rest, ...empty }))
  tar.finalize()
  const bytes = await buffer(tar)
  expect(await read(zstdCompressSync(bytes, withChecksum))).toEqual(['head', 'end'])
  await expect(read(zstdCompressSync(bytes))).rejects.toThrow(damaged)
  await expect(read(zstdCompressSync(bytes.subarray(0, -1), withChecksum))).rejects.toThrow(damaged)
  await expect(read(zstdCompressSync(bytes.subarray(0, -512), withChecksum))).rejects.toThrow(damaged)
})
