import { pageRefs } from './store.ts'
import { type Manifest } from './manifest.ts'

/**
 * The page numbers that differ between two versions, ascending, including pages that only one of them has. Compares
 * storage locations and reads no text.
 */
export function changedPages(from: Manifest, to: Manifest): number[] {
  const before = pageIds(from)
  const after = pageIds(to)
  const numbers: number[] = []
  for (let index = 0; index < Math.max(before.length, after.length); index++) {
    if (before[index] !== after[index]) numbers.push(index + 1)
  }
  return numbers
}

function pageIds(manifest: Manifest): string[] {
  return Array.from(pageRefs(manifest, 1, manifest.pageCount), ({ id }) => id)
}
