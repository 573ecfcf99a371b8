import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import type { Writable } from 'node:stream'
import { constants, createZstdCompress } from 'node:zlib'
import { pack, type Pack } from 'tar-stream'
import { entryNames, type Head, type Manifest } from './manifest.ts'
import { createTally, type DocumentsPart, type FilePart, type Totals } from './parts.ts'

export interface ArchiveWriter {
  addSecret(secret: string): Promise<void>
  addDocuments(part: DocumentsPart): Promise<void>
  addFile(part: FilePart): Promise<void>
  /** The totals of the added entries. */
  totals(): Totals
  /** Writes the manifest and the end; resolves when the output has received everything. */
  end(manifest: Manifest): Promise<void>
  /** Aborts and destroys the output. */
  abort(reason: Error): Promise<void>
}

/** Number of entries per list of checksums. */
const entriesPerList = 1000

/**
 * Writes an archive: tar, compressed with Zstandard, with entry names as in `manifest.ts`. Lists in the format of
 * `sha256sum` are interspersed.
 */
export async function writeArchive(output: Writable, head: Head): Promise<ArchiveWriter> {
  const tar = pack()
  const params = { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 }
  const written = pipeline(tar, createZstdCompress({ params }), output)
  // The next `add` reports the error.
  const ended = written.catch(() => {})
  const entries = createEntries(tar, written, new Date(head.at))
  const tally = createTally()
  const numbers = new Map<string, number>()
  await entries.add(entryNames.head, toJson(head))
  return {
    addSecret: (secret) => entries.add(entryNames.secret, Buffer.from(secret)),
    async addDocuments(part) {
      tally.addDocuments(part)
      const number = (numbers.get(part.collection) ?? 0) + 1
      numbers.set(part.collection, number)
      const name = `${entryNames.documents}/${part.collection}/${String(number).padStart(6, '0')}.bson`
      await entries.add(name, Buffer.concat(part.documents))
    },
    async addFile({ key, bytes, read }) {
      const sha256 = await entries.stream(`${entryNames.files}/${key}`, { bytes, body: read() })
      tally.addFile({ key, bytes, sha256 })
    },
    totals: () => tally.totals(),
    async end(manifest) {
      await entries.list()
      await entries.add(entryNames.manifest, toJson(manifest))
      tar.finalize()
      await written
    },
    async abort(reason) {
      tar.destroy(reason)
      await ended
    },
  }
}

function toJson(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`)
}

function createEntries(tar: Pack, written: Promise<void>, mtime: Date) {
  let [lines, lists]: [string[], number] = [[], 0]
  const stream = async (name: string, { bytes, body }: { bytes: number; body: AsyncIterable<Uint8Array> }) => {
    const hash = createHash('sha256')
    const { promise: ended, resolve, reject } = Promise.withResolvers<void>()
    const entry = tar.entry({ name, size: bytes, mode: 0o600, mtime }, (error) => (error ? reject(error) : resolve()))
    async function* hashed() {
      for await (const chunk of body) {
        hash.update(chunk)
        yield chunk
      }
    }
    // Awaited as well, because a failing output does not end the other promises.
    await Promise.race([Promise.all([pipeline(hashed(), entry), ended]), written.then(() => ended)])
    const sha256 = hash.digest('hex')
    lines.push(`${sha256}  ${name}\n`)
    return sha256
  }
  const list = async () => {
    if (lines.length === 0) return
    const text = Buffer.from(lines.join(''))
    lists += 1
    await stream(`${entryNames.checksums}/${String(lists).padStart(6, '0')}.sha256`, {
      bytes: text.length,
      body: once(text),
    })
    lines = []
  }
  return {
    list,
    async stream(name: string, content: { bytes: number; body: AsyncIterable<Uint8Array> }) {
      const sha256 = await stream(name, content)
      if (lines.length >= entriesPerList) await list()
      return sha256
    },
    async add(name: string, bytes: Uint8Array): Promise<void> {
      await this.stream(name, { bytes: bytes.length, body: once(bytes) })
    },
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
