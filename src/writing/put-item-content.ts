import { maxContentBytes } from '../books/schema.ts'
import { refuseTooManyPages } from './create-markdown-item.ts'
import { splitPages } from '../text/markdown/split-pages.ts'
import type { Manifest } from '../reading/manifest.ts'
import { pageTexts } from './load-page-texts.ts'
import type { PutContent, PutItemContent } from './schema.ts'
import { splice } from './splice-pages.ts'
import { writeVersion } from './write-version.ts'
import type { Call } from '../core/context.ts'
import type { WritingStores } from './stores.ts'

/** Replaces the whole text of a Markdown book. Pages that stay as they are, are not stored again. */
export async function putItemContent(ctx: Call & WritingStores, input: PutItemContent): Promise<PutContent> {
  const { id, content, expectedVersion } = input
  const pages = splitPages(content)
  refuseTooManyPages(pages)
  const written = await writeVersion(ctx, {
    id,
    reason: 'replace',
    expectedVersion,
    async draft(base) {
      // A book that is larger than a request has little in common with it: it is not read to be compared.
      if (base.bytes > maxContentBytes) return splice(emptied(base), { from: 0, old: [], pages })
      const old = await pageTexts(ctx, base, { from: 1, to: base.pageCount })
      return old.join('') === content ? null : splice(base, { from: 0, old, pages })
    },
  })
  const { title, version, pageCount, updatedAt } = written
  return { id, title, version, pageCount, updatedAt }
}

function emptied(base: Manifest): Manifest {
  return { ...base, segments: [], pageCount: 0, bytes: 0, words: 0, toc: [] }
}
