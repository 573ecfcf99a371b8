import { pageRefs } from './store.ts'
import { type Manifest } from './manifest.ts'

/**
 * The page numbers at which two versions of a book differ, ascending; numbers that only one of them has are among them.
 * Compares where pages are stored, so it reads no text.
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
