import type { Manifest } from '../reading/manifest.ts'
import { pageRefs, type PageRef } from '../reading/store.ts'
import type { VectorPart } from './embedding-store.ts'

/** A stored page that has no vector yet. */
export interface PageToEmbed extends PageRef {
  /** The revision and index under which it is stored, which identify the page within the book. */
  name: string
}

export interface PagePlan {
  /** The parts with pages of the version, with their page numbers in it. */
  kept: VectorPart[]
  /** In page order. */
  missing: PageToEmbed[]
}

/**
 * Determines which vectors a version can keep, and which pages lack one. A page that occurs twice in a version has one
 * vector, at its first occurrence.
 */
export function planPages(manifest: Manifest, namesOfParts: ReadonlyMap<string, readonly string[]>): PagePlan {
  const wanted = new Map<string, PageToEmbed>()
  for (const ref of pageRefs(manifest, 1, manifest.pageCount)) {
    const name = ref.id.slice(manifest.itemId.length + 1)
    if (!wanted.has(name)) wanted.set(name, { ...ref, name })
  }
  const kept: VectorPart[] = []
  for (const [id, names] of namesOfParts) {
    const pages = Uint32Array.from(names, (name) => {
      const page = wanted.get(name)
      wanted.delete(name)
      return page?.pageNum ?? 0
    })
    if (pages.some((page) => page > 0)) kept.push({ id, pages })
  }
  return { kept, missing: [...wanted.values()] }
}

/** Number of pages in a full part. */
export const partPages = 128

/** True if a book has many more parts than its pages need, so that they should be joined. */
export function isScattered(parts: readonly VectorPart[]): boolean {
  const live = parts.reduce((sum, { pages }) => sum + pages.filter((page) => page > 0).length, 0)
  return parts.length > 2 * Math.ceil(live / partPages) + 2
}
