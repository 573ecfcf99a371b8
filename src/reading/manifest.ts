/** A run of consecutive pages of one write: where they are stored and how many of them this version uses. */
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

/** The figures of an import. */
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
  /**
   * The pages in order. An edit adds a run and shares the others, so that the cost of a version depends only on its
   * changes.
   */
  runs: PageRun[]
  pageCount: number
  /** UTF-8 bytes of all pages. */
  bytes: number
  /**
   * Bytes that only this version stores: its new pages, and its table of contents if that differs. Absent in older
   * rows.
   */
  ownBytes?: number
  words: number
  /** The figures that its text may refer to; absent: none, as in older rows. */
  figures?: FigureSet
  toc: OutlineEntry[]
  createdAt: Date
  createdBy: string
  /** Transport and credential of the author, such as `mcp/key`; null for an import. Absent in older rows. */
  client?: string | null
  /**
   * Name of the API key or application that wrote it, at that time; null for a person in a browser, an import and the
   * command line, and if it is not known. Absent in older rows: not known.
   */
  by?: string | null
  /** Reason of the write: `create`, `import`, `reprocess`, `ocr`, `append`, `page`, `replace` or `restore`. */
  reason: string
  /** The import that created it; null for a write. */
  jobId: string | null
  /** Id of the call that created it, to recognise a repeat; unique within a book. */
  writeId?: string
  /** When the owner removed its text; the row stays, without its outline. */
  purgedAt?: Date
  /** Conditions that may still prevent publication; absent if nothing can prevent it. */
  held?: HeldVersion
}

/**
 * The conditions of a version that was sealed before they could finally be checked: it was written by another account
 * than the owner, whose book may have been published in the meantime, or restores an earlier version that may have been
 * removed in the meantime.
 */
export interface HeldVersion {
  /** Unique, so that a decision never affects another version with the same number. */
  id: string
  /** True once the conditions were found to hold; then any process may publish the version. */
  released?: true
  /** The version whose text it restores. */
  restoredFrom?: number
}

/** A version without its text. */
export type VersionSummary = Pick<
  Manifest,
  'version' | 'createdAt' | 'createdBy' | 'client' | 'by' | 'reason' | 'pageCount' | 'bytes' | 'purgedAt'
>
