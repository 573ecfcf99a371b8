import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { resolve } from 'node:path'
import { openPromise, type Entry, type ZipFile } from 'yauzl'
import type { z } from 'zod'
import { ClientError } from './client-error.ts'
import { Manifest } from './export-schema.ts'
import { codeOf } from './terminal.ts'

/** A verified export, read directly from the ZIP file. */
export interface ExportArchive {
  manifest: Manifest
  /** The content of a JSON entry. Throws `ClientError` if it has another shape. */
  json<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>>
  text(path: string): Promise<string>
  /** Opens an entry. Throws `ClientError` for a path that the archive does not have. */
  open(path: string): Promise<{ bytes: number; sha256: string; stream: Readable }>
  close(): void
}

const manifestName = 'manifest.json'
/** Maximum size of a text that is loaded into memory, bytes. */
const maxTextBytes = 256 * 1024 * 1024

/**
 * Opens an export and verifies the size and hash of every file; `onProgress` receives the share. Throws `ClientError`
 * for a file that is truncated, was changed, or is not an export.
 */
export async function openExport(
  { path, file }: { path: string; file: string },
  onProgress: (share: number) => void,
): Promise<ExportArchive> {
  const { size } = await stat(resolve(path)).catch((cause: unknown) => {
    throw new ClientError('NOT_FOUND', `${file} cannot be read (${codeOf(cause)}).`, { cause })
  })
  const zip = await openPromise(path, { autoClose: false, strictFileNames: true }).catch((cause: unknown) => {
    throw refusal(file, 'it is not a ZIP archive, or its end is missing', cause)
  })
  try {
    const entries = await listEntries(zip, { size, file })
    const manifest = await readManifest(zip, entries, file)
    await verify(zip, { entries, manifest, file, onProgress })
    return createReader(zip, { entries, manifest, file })
  } catch (error) {
    zip.close()
    if (error instanceof ClientError) throw error
    throw refusal(file, 'its content cannot be read', error)
  }
}

function refusal(file: string, reason: string, cause?: unknown): ClientError {
  const message = `${file} is not a complete Lectern export: ${reason}. Nothing was imported. Export again, or copy the file again.`
  return new ClientError('INVALID_INPUT', message, { cause })
}

type Entries = ReadonlyMap<string, Entry>

/** The entries by name. Refuses names that point outside the archive, and entries that share bytes. */
async function listEntries(zip: ZipFile, { size, file }: { size: number; file: string }): Promise<Entries> {
  const entries = new Map<string, Entry>()
  let packed = 0
  for await (const entry of zip.eachEntry()) {
    packed += entry.compressedSize
    // Entries that share bytes can make a small file unpack without end.
    if (entries.has(entry.fileName) || packed > size) throw refusal(file, 'its directory is wrong')
    entries.set(entry.fileName, entry)
  }
  return entries
}

async function readManifest(zip: ZipFile, entries: Entries, file: string): Promise<Manifest> {
  const entry = entries.get(manifestName)
  if (!entry) throw refusal(file, `it has no ${manifestName}`)
  const value: unknown = JSON.parse(await readText(zip, entry, file))
  const manifest = Manifest.safeParse(value)
  if (manifest.success) return manifest.data
  const isNewer = manifest.error.issues.some(({ path, code }) => path[0] === 'formatVersion' && code === 'too_big')
  if (!isNewer) throw refusal(file, `its ${manifestName} does not have the expected format`, manifest.error)
  throw new ClientError('INVALID_INPUT', `${file} was written by a newer Lectern. Update this one, then try again.`)
}

interface Verification {
  entries: Entries
  manifest: Manifest
  file: string
  onProgress: (share: number) => void
}

async function verify(zip: ZipFile, { entries, manifest, file, onProgress }: Verification): Promise<void> {
  if (manifest.files.length !== entries.size - 1) throw refusal(file, 'its files differ from its manifest')
  const total = manifest.files.reduce((sum, { bytes }) => sum + bytes, 0)
  let done = 0
  for (const { path, bytes, sha256 } of manifest.files) {
    const entry = entries.get(path)
    if (!entry || path === manifestName || entry.uncompressedSize !== bytes)
      throw refusal(file, `${path} is missing or was changed`)
    const hash = createHash('sha256')
    try {
      for await (const chunk of await zip.openReadStreamPromise(entry)) {
        hash.update(chunk as Buffer)
        done += (chunk as Buffer).length
        onProgress(total === 0 ? 1 : done / total)
      }
    } catch (error) {
      throw refusal(file, `${path} cannot be read`, error)
    }
    if (hash.digest('hex') !== sha256) throw refusal(file, `${path} was changed`)
  }
}

function createReader(
  zip: ZipFile,
  { entries, manifest, file }: { entries: Entries; manifest: Manifest; file: string },
): ExportArchive {
  const listed = new Map(manifest.files.map((one) => [one.path, one]))
  const find = (path: string) => {
    const [entry, one] = [entries.get(path), listed.get(path)]
    if (!entry || !one) throw refusal(file, `it names ${path}, which is not in it`)
    return { entry, ...one }
  }
  const text = (path: string) => readText(zip, find(path).entry, file)
  return {
    manifest,
    text,
    async json(path, schema) {
      const parsed = schema.safeParse(JSON.parse(await text(path)))
      if (!parsed.success) throw refusal(file, `${path} does not have the expected format`, parsed.error)
      return parsed.data
    },
    async open(path) {
      const { entry, bytes, sha256 } = find(path)
      return { bytes, sha256, stream: await zip.openReadStreamPromise(entry) }
    },
    close: () => zip.close(),
  }
}

async function readText(zip: ZipFile, entry: Entry, file: string): Promise<string> {
  if (entry.uncompressedSize > maxTextBytes) throw refusal(file, `${entry.fileName} is too large`)
  const chunks: Buffer[] = []
  for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
