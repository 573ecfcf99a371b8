import { splitPages } from '../text/markdown/split-pages.ts'
import type { Manifest } from '../reading/manifest.ts'
import { joinAtEnd, joinAtStart } from './join-text.ts'
import { pageTexts } from './load-page-texts.ts'
import type { AppendedPages, AppendItemPages } from './schema.ts'
import { splice, type Draft } from './splice-pages.ts'
import { writeVersion } from './write-version.ts'
import type { Call } from '../core/context.ts'
import type { WritingStores } from './stores.ts'
import type { ContentStores } from '../reading/store.ts'

/**
 * Adds text at the end or the start of a Markdown book. It begins on a line of its own; what stands before its first
 * top-level heading goes on the page before. With an idempotency key it is added once, whatever happens on the way.
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
        position === 'start' ? await atStart(ctx, base, content) : await atEnd(ctx, base, content)
      added = { addedPages: draft.pageCount - base.pageCount, firstPage }
      return draft
    },
  })
  const { version, pageCount, updatedAt } = written
  return { id, version, pageCount, ...added, updatedAt }
}

interface Appended {
  draft: Draft
  firstPage: number
}

async function atEnd(ctx: ContentStores, base: Manifest, content: string): Promise<Appended> {
  const count = base.pageCount
  if (count === 0) return allNew(base, content)
  const [last = ''] = await pageTexts(ctx, base, { from: count, to: count })
  const [first = null] = count > 1 ? await pageTexts(ctx, base, { from: 1, to: 1 }) : []
  const joined = joinAtEnd({ first, last }, content)
  const draft = splice(base, { from: count - 1, old: [last], pages: joined.pages })
  return { draft, firstPage: count + joined.first }
}

async function atStart(ctx: ContentStores, base: Manifest, content: string): Promise<Appended> {
  if (base.pageCount === 0) return allNew(base, content)
  const [first = '', next = null] = await pageTexts(ctx, base, { from: 1, to: 2 })
  const joined = joinAtStart({ first, next }, content)
  const draft = splice(base, { from: 0, old: [first], pages: joined.pages })
  return { draft, firstPage: 1 + joined.first }
}

function allNew(base: Manifest, content: string): Appended {
  return { draft: splice(base, { from: 0, old: [], pages: splitPages(content) }), firstPage: 1 }
}
