import { createHash } from 'node:crypto'
import type { Manifest, OutlineEntry, PageRun } from './manifest.ts'

/**
 * A stored manifest: runs as one short text and the outline by id, because most versions share both with the previous
 * one.
 */
export interface ManifestRow extends Omit<Manifest, 'runs' | 'toc'> {
  _id: string
  layout: string
  outlineId: string | null
  /** The removal of its text in progress, and the owner of the book. */
  purging?: { at: Date; ownerId: string }
}

export interface OutlineRow {
  _id: string
  toc: OutlineEntry[]
}

/** The cache of manifests and outlines, by id. */
export interface ManifestCache {
  get(id: string): unknown
  delete(id: string): unknown
  set(id: string, value: Manifest | OutlineRow): unknown
}

/** The id under which a version is stored. */
export function manifestId({ itemId, version }: Pick<Manifest, 'itemId' | 'version'>): string {
  return `${itemId}:${version}`
}

/** The id under which a table of contents of a book is stored. */
export function outlineIdOf(itemId: string, toc: readonly OutlineEntry[]): string {
  return `${itemId}:${createHash('sha256').update(JSON.stringify(toc)).digest('base64url').slice(0, 22)}`
}

/** `revision.start.count` per run, separated by spaces; only `revision` for a write of one page. */
export function formatLayout(segments: readonly PageRun[]): string {
  return segments
    .map(({ revision, start, count }) => (start === 0 && count === 1 ? revision : `${revision}.${start}.${count}`))
    .join(' ')
}

/** The runs of a stored layout. */
export function parseLayout(layout: string): PageRun[] {
  return layout === ''
    ? []
    : layout.split(' ').map((text) => {
        const [revision = '', start = '0', count = '1'] = text.split('.')
        return { revision, start: Number(start), count: Number(count) }
      })
}
