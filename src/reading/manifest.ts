/** A run of consecutive pages of one write: where they are stored and how many this version uses. */
export interface PageRun {
  /** Id of the write that stored them. */
  revision: string
  /** Index of the first page within that write, from 0. */
  start: number
  count: number
}

export interface OutlineEntry {
  title: string
  page: number
  level: number
}

/** The bytes that a table of contents stores; none if it is empty. */
export function outlineBytes(toc: readonly OutlineEntry[]): number {
  return toc.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(toc))
}

/** The figures that an import has brought. */
export interface FigureSet {
  /** The revision of the import, under which they are stored. */
  revision: string
  count: number
  bytes: number
}

/** The content of one version of a book, without page text. Immutable. */
export interface Manifest {
  itemId: string
  version: number
  /** The pages in order. An edit adds a run and shares the others, so a version costs only what it changed. */
  runs: PageRun[]
  pageCount: number
  /** UTF-8 bytes of all pages. */
  bytes: number
  /** Bytes that this version alone stores: its new pages, and its table of contents if it has another. Absent in older rows. */
  ownBytes?: number
  words: number
  /** The figures that its text may name; absent: none, as in older rows. */
  figures?: FigureSet
  toc: OutlineEntry[]
  createdAt: Date
  createdBy: string
  /** Transport and credential of the author, such as `mcp/key`; null for an import. Absent in older rows. */
  client?: string | null
  /**
   * Name of the API key or application that wrote it, as it was called then; null for a person in a browser, an import and
   * the command line. Absent in older rows: not known.
   */
  by?: string | null
  /** Reason of the write: `create`, `import`, `reprocess`, `append`, `page`, `replace` or `restore`. */
  reason: string
  /** The import that created it; null for a write. */
  jobId: string | null
  /** Id of the call that created it, to recognise a repeat; at most one version of a book has it. */
  writeId?: string
  /** When the owner removed its text; the row stays, without outline. */
  purgedAt?: Date
  /** Why the version may still have to be dropped before it is published; absent when nothing can prevent it. */
  held?: HeldVersion
}

/**
 * The conditions of a version that was sealed before they could be checked for good: by another account than the owner,
 * whose book may have been published meanwhile, or from an earlier version that may have been removed meanwhile.
 */
export interface HeldVersion {
  /** Unique, so that a decision about this version never touches another one under its number. */
  id: string
  /** True when the conditions were found to hold; from then on anybody may publish the version. */
  released?: true
  /** The version whose text it has. */
  restoredFrom?: number
}

/** A version without its text. */
export type VersionSummary = Pick<
  Manifest,
  'version' | 'createdAt' | 'createdBy' | 'client' | 'by' | 'reason' | 'pageCount' | 'bytes' | 'purgedAt'
>
