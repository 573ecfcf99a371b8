import { canWrite, type AccessibleBook } from '../books/access.ts'
import type { VersionSummary } from '../reading/manifest.ts'

/** Who wrote a version, when and how, as shown on pages. */
export interface VersionEntry {
  version: number
  at: Date
  /** The name of the account. */
  author: string
  /** The name of the API key or application; null for a person in a browser, and if it is unknown or hidden. */
  agent: string | null
  /** How it was written. */
  way: 'browser' | 'agent' | 'import' | 'administrator' | 'unknown'
  reason: string
  pageCount: number
  /** When its text was permanently removed; null: it exists. */
  purgedAt: Date | null
}

/** Presents versions of a book. Only writers of the book see the names of keys and applications. */
export function presentVersions(book: AccessibleBook, nameOf: (accountId: string) => string) {
  const namesAgents = canWrite(book)
  return ({
    version,
    createdAt,
    createdBy,
    client,
    by,
    reason,
    pageCount,
    purgedAt,
  }: VersionSummary): VersionEntry => ({
    version,
    at: createdAt,
    author: nameOf(createdBy),
    agent: namesAgents ? (by ?? null) : null,
    way: clientKindOf(client, reason),
    reason,
    pageCount,
    purgedAt: purgedAt ?? null,
  })
}

/** `client` is the transport and the kind of credential, such as `mcp/key`; null for an import. */
function clientKindOf(client: string | null | undefined, reason: string): VersionEntry['way'] {
  if (client === undefined) return 'unknown'
  if (client === null) return ['import', 'reprocess', 'ocr'].includes(reason) ? 'import' : 'unknown'
  const [transport, credential] = client.split('/')
  if (transport === 'web' || credential === 'session') return 'browser'
  return transport === 'admin' ? 'administrator' : 'agent'
}
