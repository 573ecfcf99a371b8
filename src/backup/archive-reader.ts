import { createHash } from 'node:crypto'
import { Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'
import { extract, type Extract } from 'tar-stream'
import { StartError } from '../core/start-error.ts'
import { isKey } from '../files/keys.ts'
import { checkHead, entryNames, Head, Manifest } from './manifest.ts'
import { createTally, differences, type Part } from './parts.ts'
import { followFrame } from './zstd-frame.ts'

/** The parts of an archive, in reading order. */
export type ArchivePart =
  | Part
  | { kind: 'head'; head: Head }
  | { kind: 'secret'; secret: string }
  | { kind: 'end'; manifest: Manifest }

/** Maximum size of an entry in memory, bytes: a part of documents, or a list. */
const maxHeldBytes = 64 * 1024 * 1024

/**
 * Reads an archive and verifies it on the way: yields the head first, and `end` once everything has been verified.
 * Throws `StartError` for an archive that is damaged, truncated, or of a newer version. The caller must read each file
 * before the next part.
 */
export async function* readArchive(input: Readable): AsyncGenerator<ArchivePart> {
  const tar = extract()
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => {})
  let failure: unknown = null
  const flowing = pipeline(input, requireFrame(), createZstdDecompress(), requireTarEnd(), tar).catch(
    (error: unknown) => {
      failure = error
      failed.reject(error)
      tar.destroy()
    },
  )
  /** Prefers the error of the stream to its consequences. */
  const explain = (error: unknown) => {
    const cause = failure ?? error
    return isReadingError(cause) ? damagedError(cause) : cause
  }
  try {
    const manifest = yield* readEntries(untilFailed(tar, failed.promise), explain)
    await flowing
    // Data after the last entry may be truncated too.
    if (failure !== null) throw failure
    yield { kind: 'end', manifest }
  } catch (error) {
    throw explain(error)
  } finally {
    tar.destroy()
    input.destroy()
    await flowing
  }
}

/**
 * Passes on the first Zstandard frame. At the end, fails unless the frame is complete and followed by nothing but empty
 * frames.
 */
function requireFrame(): Transform {
  const frame = followFrame()
  return new Transform({
    transform(chunk: Buffer, _, done) {
      try {
        done(null, chunk.subarray(0, frame.push(chunk)))
      } catch (error) {
        done(new DamageError((error as Error).message))
      }
    },
    flush: (done) => done(frame.isWhole() ? null : new DamageError('its end is missing')),
  })
}

/** A tar file ends with two blocks of zeros, 512 bytes each. */
const tarEndBytes = 1024

/** Passes bytes on; at the end, fails unless they end like a tar file. */
function requireTarEnd(): Transform {
  let zeros = 0
  return new Transform({
    transform(chunk: Buffer, _, done) {
      const last = chunk.findLastIndex((byte) => byte !== 0)
      zeros = last === -1 ? zeros + chunk.length : chunk.length - 1 - last
      done(null, chunk)
    },
    flush: (done) => done(zeros >= tarEndBytes ? null : new DamageError('its end is missing')),
  })
}

/** The entries; throws the first failure of the stream, which would otherwise look like the end of the archive. */
async function* untilFailed(tar: AsyncIterable<Entry>, failure: Promise<never>): AsyncGenerator<Entry> {
  const entries = tar[Symbol.asyncIterator]()
  for (;;) {
    const next = await Promise.race([entries.next(), failure])
    if (next.done) return
    yield next.value
  }
}

type Entry = Extract extends AsyncIterable<infer Each> ? Each : never
type Explain = (error: unknown) => unknown

async function* readEntries(
  entries: AsyncIterable<Entry>,
  explain: Explain,
): AsyncGenerator<ArchivePart, Manifest, undefined> {
  const verifier = createVerifier(explain)
  let [head, manifest]: [Head | null, Manifest | null] = [null, null]
  for await (const entry of entries) {
    const { name } = entry.header
    if (manifest !== null) throw new DamageError(`${name} comes after its end`)
    if (head === null && name !== entryNames.head) throw new DamageError('it does not begin like a backup of Lectern')
    const [folder = '', ...rest] = name.split('/')
    if (name === entryNames.head) {
      head = parseJson(Head, await verifier.hold(entry))
      checkHead(head)
      yield { kind: 'head', head }
    } else if (name === entryNames.secret) yield { kind: 'secret', secret: (await verifier.hold(entry)).toString() }
    else if (folder === entryNames.documents) yield verifier.tallied(rest[0] ?? '', await verifier.hold(entry))
    else if (folder === entryNames.files) {
      const file = verifier.file(entry, rest.join('/'))
      yield file.part
      await file.ended()
    } else if (folder === entryNames.checksums) verifier.compare((await verifier.hold(entry)).toString())
    else if (name === entryNames.manifest) manifest = parseJson(Manifest, await verifier.hold(entry))
    else throw new DamageError(`it contains ${name}, which is not a part of a backup`)
  }
  if (manifest === null) throw new DamageError('its end is missing')
  verifier.finish(manifest)
  return manifest
}

/** Hashes the entries and compares them with the lists and the manifest. */
function createVerifier(explain: Explain) {
  const tally = createTally()
  const read = new Map<string, string>()
  return {
    async hold(entry: Entry): Promise<Buffer> {
      const { name, size = 0 } = entry.header
      if (size > maxHeldBytes) throw new DamageError(`${name} is too large`)
      const chunks: Uint8Array[] = []
      for await (const chunk of entry as AsyncIterable<Uint8Array>) chunks.push(chunk)
      const bytes = Buffer.concat(chunks)
      read.set(name, createHash('sha256').update(bytes).digest('hex'))
      return bytes
    },
    tallied(collection: string, bytes: Buffer): Part {
      if (!/^[A-Za-z][\w.-]*$/.test(collection)) throw new DamageError(`${collection} is not a name of a collection`)
      const part = { kind: 'documents' as const, collection, documents: split(bytes) }
      tally.addDocuments(part)
      return part
    },
    file(entry: Entry, key: string) {
      if (!isKey(key)) throw new DamageError(`${key} is not a key of a file`)
      const { size: bytes = 0, name } = entry.header
      const hash = createHash('sha256')
      async function* body() {
        try {
          for await (const chunk of entry as AsyncIterable<Uint8Array>) {
            hash.update(chunk)
            yield chunk
          }
        } catch (error) {
          throw explain(error)
        }
        const sha256 = hash.digest('hex')
        read.set(name, sha256)
        tally.addFile({ key, bytes, sha256 })
      }
      const chunks = body()
      const ended = async () => {
        for await (const _ of chunks);
      }
      return { part: { kind: 'file' as const, key, bytes, sha256: null, read: () => chunks }, ended }
    },
    compare(list: string) {
      for (const line of list.split('\n').slice(0, -1)) {
        const [sha256, name] = [line.slice(0, 64), line.slice(66)]
        if (read.get(name) !== sha256) throw new DamageError(`the content of ${name} does not match its checksum`)
        read.delete(name)
      }
    },
    finish(manifest: Manifest) {
      const [difference] = differences(manifest, tally.totals())
      if (difference !== undefined) throw new DamageError(difference)
    },
  }
}

/** Splits bytes into BSON documents. */
function split(bytes: Buffer): Buffer[] {
  const documents: Buffer[] = []
  for (let at = 0; at < bytes.length;) {
    const length = at + 4 <= bytes.length ? bytes.readInt32LE(at) : 0
    if (length < 5 || at + length > bytes.length) throw new DamageError('documents are truncated')
    documents.push(bytes.subarray(at, at + length))
    at += length
  }
  return documents
}

function parseJson<T>(schema: { parse(value: unknown): T }, bytes: Buffer): T {
  try {
    return schema.parse(JSON.parse(bytes.toString()))
  } catch {
    throw new DamageError('its description cannot be read')
  }
}

class DamageError extends Error {}

/** True if the bytes themselves are wrong, in contrast to errors of their source. */
function isReadingError(error: unknown): error is Error {
  if (error instanceof DamageError) return true
  if (!(error instanceof Error) || error instanceof StartError) return false
  const code = 'code' in error ? String(error.code) : ''
  return (
    code.startsWith('ZSTD_') || code.startsWith('Z_') || /tar header|unexpected end|Unexpected end/i.test(error.message)
  )
}

function damagedError(cause: Error): StartError {
  return new StartError(
    `The backup is damaged or incomplete: ${cause.message}. Nothing was restored. Use another backup, or copy this one again from its original.`,
    { cause },
  )
}
