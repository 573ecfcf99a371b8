import { splitPages } from '../text/markdown/split-pages.ts'
import type { Manifest } from '../reading/manifest.ts'
import { appendText, prependText } from './join-text.ts'
import { loadPageTexts } from './load-page-texts.ts'
import type { AppendedPages, AppendItemPages } from './schema.ts'
import { splicePages, type VersionDraft } from './splice-pages.ts'
import { writeVersion } from './write-version.ts'
import type { Call } from '../core/context.ts'
import type { WritingStores } from './stores.ts'
import type { ContentStores } from '../reading/store.ts'

/**
 * Adds text at the end or the start of a Markdown book, on a new line. Text before its first top-level heading joins
 * the preceding page. With an idempotency key, adds it exactly once.
 */
export async function appendItemPages(ctx: Call & WritingStores, input: AppendItemPages): Promise<AppendedPages> {
  const { id, content, position, expectedVersion } = input
  let added = { addedPages: 0, firstPage: null as number | null }
  const written = await writeVersion(ctx, {
    id,
    reason: 'append',
    expectedVersion,
    writeId: ctx.idempotencyKey === null ? undefined : ctx.newId(),
    async draft(base) {
      if (content === '') return null
      const { draft, firstPage } =
        position === 'start' ? await draftAtStart(ctx, base, content) : await draftAtEnd(ctx, base, content)
      added = { addedPages: draft.pageCount - base.pageCount, firstPage }
      return draft
    },
  })
  return { id, ...written, ...added }
}

interface AppendDraft {
  draft: VersionDraft
  firstPage: number
}

async function draftAtEnd(ctx: ContentStores, base: Manifest, content: string): Promise<AppendDraft> {
  const count = base.pageCount
  if (count === 0) return draftFirstPages(base, content)
  const [last = ''] = await loadPageTexts(ctx, base, { from: count, to: count })
  const [first = null] = count > 1 ? await loadPageTexts(ctx, base, { from: 1, to: 1 }) : []
  const joined = appendText({ first, last }, content)
  const draft = splicePages(base, { from: count - 1, old: [last], pages: joined.pages })
  return { draft, firstPage: count + joined.firstAdded }
}

async function draftAtStart(ctx: ContentStores, base: Manifest, content: string): Promise<AppendDraft> {
  if (base.pageCount === 0) return draftFirstPages(base, content)
  const [first = '', next = null] = await loadPageTexts(ctx, base, { from: 1, to: 2 })
  const joined = prependText({ first, next }, content)
  const draft = splicePages(base, { from: 0, old: [first], pages: joined.pages })
  return { draft, firstPage: 1 + joined.firstAdded }
}

function draftFirstPages(base: Manifest, content: string): AppendDraft {
  return { draft: splicePages(base, { from: 0, old: [], pages: splitPages(content) }), firstPage: 1 }
}
