import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { wrapDiskError } from './disk-errors.ts'
import { FileStoreError } from './store.ts'

export interface SpooledFile {
  path: string
  bytes: number
  /** Lower-case hexadecimal. */
  sha256: string
  /** Base64, as in the Content-MD5 header; null unless requested. */
  md5: string | null
}

export interface SpoolOptions {
  maxBytes: number
  /** Flush to the device before returning. */
  durable?: boolean
  md5?: boolean
}

/** Writes a stream to a new file in `directory`; deletes the file on any error. Throws `TOO_LARGE`. */
export async function spool(
  directory: string,
  body: AsyncIterable<Uint8Array>,
  options: SpoolOptions,
): Promise<SpooledFile> {
  const path = join(directory, `${randomUUID()}.part`)
  const file = await wrappingDiskErrors(open(path, 'wx', 0o600))
  try {
    const result = await write(file, body, options)
    if (options.durable) await wrappingDiskErrors(file.sync())
    // Some file systems report a failed write only on close.
    await wrappingDiskErrors(file.close())
    return { path, ...result }
  } catch (error) {
    await file.close().catch(() => {})
    await rm(path, { force: true }).catch(() => {})
    throw error
  }
}

async function write(file: FileHandle, body: AsyncIterable<Uint8Array>, options: SpoolOptions) {
  const sha256 = createHash('sha256')
  const md5 = options.md5 ? createHash('md5') : null
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > options.maxBytes) {
      throw new FileStoreError('TOO_LARGE', `The file is larger than ${options.maxBytes} bytes.`)
    }
    sha256.update(chunk)
    md5?.update(chunk)
    await wrappingDiskErrors(file.writeFile(chunk))
  }
  return { bytes, sha256: sha256.digest('hex'), md5: md5?.digest('base64') ?? null }
}

/** Removes spooled files last written before `olderThan` and returns their number; keeps files with other names. */
export async function removeStaleSpoolFiles(directory: string, olderThan: Date): Promise<number> {
  let removed = 0
  for (const entry of await wrappingDiskErrors(readdir(directory))) {
    if (!/\.(part|probe2?)$/.test(entry)) continue
    const path = join(directory, entry)
    const stats = await stat(path).catch(() => null)
    if (!stats?.isFile() || stats.mtime >= olderThan) continue
    await wrappingDiskErrors(rm(path, { force: true }))
    removed += 1
  }
  return removed
}

function wrappingDiskErrors<T>(operation: Promise<T>): Promise<T> {
  return operation.catch((error: unknown) => {
    throw wrapDiskError(error)
  })
}
