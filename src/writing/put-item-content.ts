import { maxContentBytes } from '../books/schema.ts'
import { requireWithinPageLimit } from './create-markdown-item.ts'
import { splitPages } from '../text/markdown/split-pages.ts'
import type { Manifest } from '../reading/manifest.ts'
import { loadPageTexts } from './load-page-texts.ts'
import type { PutContent, PutItemContent } from './schema.ts'
import { splicePages } from './splice-pages.ts'
import { writeVersion } from './write-version.ts'
import type { Call } from '../core/context.ts'
import type { WritingStores } from './stores.ts'

/** Replaces the whole text of a Markdown book. Unchanged pages are not stored again. */
export async function putItemContent(ctx: Call & WritingStores, input: PutItemContent): Promise<PutContent> {
  const { id, content, expectedVersion } = input
  const pages = splitPages(content)
  requireWithinPageLimit(pages)
  const written = await writeVersion(ctx, {
    id,
    reason: 'replace',
    expectedVersion,
    async draft(base) {
      // Skips the comparison for a book larger than a request: they share little, and it would read the whole book.
      if (base.bytes > maxContentBytes) return splicePages(emptyManifest(base), { from: 0, old: [], pages })
      const old = await loadPageTexts(ctx, base, { from: 1, to: base.pageCount })
      return old.join('') === content ? null : splicePages(base, { from: 0, old, pages })
    },
  })
  return { id, ...written }
}

function emptyManifest(base: Manifest): Manifest {
  return { ...base, runs: [], pageCount: 0, bytes: 0, words: 0, toc: [] }
}
