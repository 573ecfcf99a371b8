import { version } from '../core/version.ts'
import { jsonFile, jsonList } from './json-text.ts'
import type { NewFile, WrittenFile, ZipStream } from './zip-stream.ts'

/** Increment it if a reader of the previous format would misread the archive. */
const formatVersion = 1

/** The name of the last entry, which lists the contents of the archive. */
const manifestName = 'manifest.json'

/** An expected object that is missing in the archive. */
interface Absent {
  /** A path in the archive, or a book. */
  what: string
  /** In words. */
  reason: string
}

/** The entry `manifest.json`. */
export interface Manifest {
  format: 'lectern-export'
  formatVersion: number
  /** When writing began. */
  createdAt: string
  /** Version of the product that wrote it. */
  productVersion: string
  /** URL of the server that it comes from. */
  server: string
  account: { name: string; email: string }
  /** Numbers of objects by kind, such as `books`. */
  counts: Record<string, number>
  absent: Absent[]
  /** All other files, in archive order. */
  files: WrittenFile[]
}

/** An archive that is being written, with a list of its entries. */
export interface Archive {
  add(file: NewFile): Promise<WrittenFile>
  addJson(path: string, value: unknown): Promise<void>
  /** Adds a streamed list of values, counted under `counted`. */
  addList(path: string, values: AsyncIterable<unknown>, counted: string): Promise<void>
  count(what: string, by?: number): void
  absent(what: string, reason: string): void
  /** Writes the manifest and the end. */
  end(of: Pick<Manifest, 'createdAt' | 'server' | 'account'>): Promise<void>
}

/** Begins an archive in a ZIP stream. */
export function beginArchive(zip: ZipStream): Archive {
  const files: WrittenFile[] = []
  const absent: Absent[] = []
  const counts: Record<string, number> = {}
  const add = async (file: NewFile) => {
    const written = await zip.add(file)
    files.push(written)
    return written
  }
  const count = (what: string, by = 1) => {
    counts[what] = (counts[what] ?? 0) + by
  }
  return {
    add,
    count,
    async addJson(path, value) {
      await add({ path, body: jsonFile(value), compress: true })
    },
    async addList(path, values, counted) {
      count(counted, 0)
      await add({ path, body: jsonList(values, () => count(counted)), compress: true })
    },
    absent: (what, reason) => void absent.push({ what, reason }),
    async end({ createdAt, server, account }) {
      const head = { format: 'lectern-export', formatVersion, createdAt, productVersion: version, server, account }
      const manifest: Manifest = { ...(head as Omit<Manifest, 'counts' | 'absent' | 'files'>), counts, absent, files }
      await zip.add({ path: manifestName, body: jsonFile(manifest), compress: true })
      zip.end()
    },
  }
}
