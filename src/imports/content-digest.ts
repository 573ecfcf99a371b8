import { createHash, type Hash } from 'node:crypto'
import { pageRefs, type ContentStores } from '../reading/store.ts'
import type { Manifest } from '../reading/manifest.ts'

/** A stored page. */
interface DigestedPage {
  content: string
  label: string | null
}

const batchPages = 200

/** Computes a digest of pages in order: equal if and only if texts and labels are equal. */
export class ContentDigest {
  readonly #hash: Hash = createHash('sha256')

  add(pages: readonly DigestedPage[]): void {
    for (const { content, label } of pages) {
      const frame = `${Buffer.byteLength(content)} ${label === null ? -1 : Buffer.byteLength(label)}\n`
      this.#hash
        .update(frame)
        .update(content)
        .update(label ?? '')
    }
  }

  end(): string {
    return this.#hash.digest('hex')
  }
}

/** True if a version has the same pages and table of contents as a new one, whose pages have `digest`. */
export async function hasSameContent(
  { contents }: ContentStores,
  current: Manifest,
  imported: Manifest & { digest: string },
): Promise<boolean> {
  const { pageCount } = current
  if (pageCount !== imported.pageCount || current.bytes !== imported.bytes) return false
  if (JSON.stringify(current.toc) !== JSON.stringify(imported.toc)) return false
  const digest = new ContentDigest()
  for (let from = 1; from <= pageCount; from += batchPages) {
    digest.add(await contents.getPages([...pageRefs(current, from, Math.min(pageCount, from + batchPages - 1))]))
  }
  return digest.end() === imported.digest
}
