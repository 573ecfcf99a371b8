import JSZip from 'jszip'
import type { FormatLimits } from '../format.ts'
import { FormatError } from '../format.ts'
import { checkDirectory } from './check-directory.ts'

declare module 'jszip' {
  interface JSZipObject {
    // Documented by JSZip but missing in its types.
    internalStream(type: 'uint8array'): JSZipStreamHelper<Uint8Array>
  }
}

/** The files of a zip archive, read one at a time into memory within the limits of `openZip`. */
export interface Archive {
  /** Relative paths with `/` between segments and without `.` or `..`, in the order of the archive; without folders. */
  readonly paths: readonly string[]
  /** The content of a file. Throws `TOO_LARGE` above a limit, `BROKEN` for damaged data or an unknown path. */
  read(path: string): Promise<Uint8Array>
  /** The same for a picture of at most `maxBytes`, which do not count towards the limits of the archive. */
  readPicture(path: string, maxBytes: number): Promise<Uint8Array>
}

/** Opens a zip archive. Throws `FormatError` if it is damaged, encrypted, or exceeds `limits`. */
export async function openZip(bytes: Uint8Array, limits: FormatLimits): Promise<Archive> {
  checkDirectory(bytes, limits.entries)
  const files = await loadFiles(bytes)
  let remainingBytes = limits.totalBytes
  const inflatePath = (path: string, maxBytes: number) => {
    const file = files.get(path)
    if (file === undefined) throw new FormatError('BROKEN', `no file ${path} in the archive`)
    return inflate(file, maxBytes)
  }
  return {
    paths: [...files.keys()],
    async read(path) {
      const content = await inflatePath(path, Math.min(limits.entryBytes, remainingBytes))
      remainingBytes -= content.length
      return content
    },
    readPicture: async (path, maxBytes) => inflatePath(path, maxBytes),
  }
}

async function loadFiles(bytes: Uint8Array): Promise<Map<string, JSZip.JSZipObject>> {
  let archive: JSZip
  try {
    archive = await JSZip.loadAsync(bytes)
  } catch (cause) {
    throw new FormatError('BROKEN', `not a readable zip file: ${errorMessage(cause)}`, { cause })
  }
  const files = new Map<string, JSZip.JSZipObject>()
  for (const file of Object.values(archive.files)) {
    const path = file.dir ? null : safePath(file.unsafeOriginalName ?? file.name)
    if (path !== null && !files.has(path)) files.set(path, file)
  }
  return files
}

/** A normalized path, used only as a key in memory; null for a name that leaves the archive. */
function safePath(name: string): string | null {
  const segments = name
    .replaceAll('\\', '/')
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
  return segments.length === 0 || segments.includes('..') || name.includes('\0') ? null : segments.join('/')
}

/** Inflates in chunks and stops at the limit, because the declared size of an entry cannot be trusted. */
function inflate(file: JSZip.JSZipObject, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let size = 0
    const stream = file.internalStream('uint8array')
    stream.on('data', (chunk) => {
      if (size > maxBytes) return
      size += chunk.length
      if (size <= maxBytes) {
        chunks.push(chunk)
        return
      }
      chunks.length = 0
      stream.pause()
      reject(new FormatError('TOO_LARGE', `${file.name} unpacks to more than ${maxBytes} bytes`))
    })
    stream.on('error', (cause) => reject(new FormatError('BROKEN', `${file.name}: ${cause.message}`, { cause })))
    stream.on('end', () => resolve(Buffer.concat(chunks, size)))
    stream.resume()
  })
}

function errorMessage(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
