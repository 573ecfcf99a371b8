import { sumUp, type Sum } from '../db/raw-documents.ts'

/** A piece of a library on its way from one place to another; the documents first, then the files. */
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
  /** Lower-case hexadecimal; null: known once it has been read. */
  sha256: string | null
  /** The bytes, once. */
  read(): AsyncIterable<Uint8Array>
}

/** What a library holds, for comparing two places. */
export interface Totals {
  /** By name; those that hold nothing are not there. */
  collections: Record<string, Sum>
  /** The hash is over key, size and SHA-256 of each. */
  files: Sum & { bytes: number }
}

export interface Tally {
  addDocuments(part: DocumentsPart): void
  addFile(file: { key: string; bytes: number; sha256: string }): void
  totals(): Totals
}

/** Adds up parts as they pass. */
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

/** What differs between two places, as sentences; empty: they hold the same. */
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
