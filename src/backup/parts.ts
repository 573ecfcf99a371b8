import { sumUp, type Sum } from '../db/raw-documents.ts'

/** A part of a library in transfer; the documents come first, then the files. */
export type Part = DocumentsPart | FilePart

export interface DocumentsPart {
  kind: 'documents'
  collection: string
  /** BSON. */
  documents: readonly Uint8Array[]
}

export interface FilePart {
  kind: 'file'
  key: string
  bytes: number
  /** Lower-case hexadecimal; null: known after reading. */
  sha256: string | null
  /** The bytes; can be read once. */
  read(): AsyncIterable<Uint8Array>
}

/** The contents of a library, for comparing two places. */
export interface Totals {
  /** By name, without empty collections. */
  collections: Record<string, Sum>
  /** Its hash covers key, size and SHA-256 of each file. */
  files: Sum & { bytes: number }
}

export interface Tally {
  addDocuments(part: DocumentsPart): void
  addFile(file: { key: string; bytes: number; sha256: string }): void
  totals(): Totals
}

/** Creates a running total of parts. */
export function createTally(): Tally {
  const collections = new Map<string, ReturnType<typeof sumUp>>()
  const files = sumUp()
  let bytes = 0
  return {
    addDocuments({ collection, documents }) {
      const sum = collections.get(collection) ?? sumUp()
      collections.set(collection, sum)
      for (const document of documents) sum.add(document)
    },
    addFile(file) {
      files.add(Buffer.from(`${file.key} ${file.bytes} ${file.sha256}`))
      bytes += file.bytes
    },
    totals: () => ({
      collections: Object.fromEntries([...collections].map(([name, sum]) => [name, sum.value()])),
      files: { ...files.value(), bytes },
    }),
  }
}

/** The differences between two places, as sentences; empty if they have the same contents. */
export function differences(expected: Totals, found: Totals): string[] {
  const names = new Set([...Object.keys(expected.collections), ...Object.keys(found.collections)])
  const problems = [...names].flatMap((name) =>
    compare(`the collection ${name}`, expected.collections[name], found.collections[name]),
  )
  return [...problems, ...compare('the files', expected.files, found.files)]
}

const nothing: Sum = { count: 0, hash: sumUp().value().hash }

function compare(what: string, { count, hash } = nothing, found = nothing): string[] {
  if (count !== found.count) return [`${what}: ${found.count} instead of ${count}`]
  return hash === found.hash ? [] : [`${what}: the content differs`]
}
