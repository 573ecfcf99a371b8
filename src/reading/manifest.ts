/** A run of pages that were written together: where they are stored and how many of them stand here. */
export interface PageRun {
  /** The write that stored them. */
  revision: string
  /** Index of the first one among the pages of that write, from 0. */
  start: number
  count: number
}

export interface OutlineEntry {
  title: string
  page: number
  level: number
}

/** What one version of a book consists of. Never changes once it is written. */
export interface Manifest {
  itemId: string
  version: number
  /** The pages in order. An edit adds a segment and shares the others, so a version costs only what it changed. */
  runs: PageRun[]
  pageCount: number
  /** UTF-8 bytes of all pages. */
  bytes: number
  words: number
  toc: OutlineEntry[]
  createdAt: Date
  createdBy: string
  /** How they reached it, such as `mcp/key`; null for an import. Absent in older rows. */
  client?: string | null
  /** Why it was written: `create`, `import`, `reprocess`, `append`, `page`, `replace` or `restore`. */
  reason: string
  /** The import that made it. */
  jobId: string | null
  /** Names the call that made it, so that a repeated one knows; at most one version has it. */
  writeId?: string
}

/** A version without its text. */
export type VersionSummary = Pick<
  Manifest,
  'version' | 'createdAt' | 'createdBy' | 'client' | 'reason' | 'pageCount' | 'bytes'
>
