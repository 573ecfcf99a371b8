import { inflateRawSync } from 'node:zlib'
import type { FormatLimits } from '../format.ts'
import { FormatError } from '../format.ts'
import { readDirectory, type ZipEntry } from './read-directory.ts'

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
export function openZip(bytes: Uint8Array, limits: FormatLimits): Archive {
  const files = new Map<string, ZipEntry>()
  for (const entry of readDirectory(bytes, limits.entries)) {
    const path = entry.isFolder ? null : safePath(entry.name)
    if (path !== null && !files.has(path)) files.set(path, entry)
  }
  let remainingBytes = limits.totalBytes
  const unpackPath = (path: string, maxBytes: number) => {
    const file = files.get(path)
    if (file === undefined) throw new FormatError('BROKEN', `no file ${path} in the archive`)
    return unpack(file, maxBytes)
  }
  return {
    paths: [...files.keys()],
    async read(path) {
      const content = unpackPath(path, Math.min(limits.entryBytes, remainingBytes))
      remainingBytes -= content.length
      return content
    },
    readPicture: async (path, maxBytes) => unpackPath(path, maxBytes),
  }
}

/** A normalized path, used only as a key in memory; null for a name that leaves the archive. */
function safePath(name: string): string | null {
  const segments = name
    .replaceAll('\\', '/')
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
  return segments.length === 0 || segments.includes('..') || name.includes('\0') ? null : segments.join('/')
}

/** Unpacks an entry and stops at the limit, because its declared size cannot be trusted. */
function unpack({ name, method, size, data }: ZipEntry, maxBytes: number): Uint8Array {
  const tooLarge = () => new FormatError('TOO_LARGE', `${name} unpacks to more than ${maxBytes} bytes`)
  if (size > maxBytes) throw tooLarge()
  let content: Uint8Array
  if (method === 0) content = new Uint8Array(data)
  else if (method === 8) {
    try {
      content = inflateRawSync(data, { maxOutputLength: Math.max(1, maxBytes), chunkSize: chunkSizeFor(size) })
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
      throw new FormatError('BROKEN', `${name}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    }
  } else throw new FormatError('BROKEN', `${name} is compressed with the unsupported method ${method}`)
  if (content.length > maxBytes) throw tooLarge()
  if (content.length !== size)
    throw new FormatError('BROKEN', `${name} unpacks to ${content.length} bytes, not ${size}`)
  return content
}

const [minChunk, maxChunk] = [4 * 1024, 1024 * 1024]

/** The size of the chunks in which an entry is unpacked: most entries fit into one. */
function chunkSizeFor(size: number): number {
  return Math.min(maxChunk, Math.max(minChunk, size + 1))
}
