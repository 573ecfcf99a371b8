import type { Book } from '../books/book.ts'
import { newId } from '../core/ids.ts'
import type { Call } from '../core/context.ts'
import type { ContentStores } from '../reading/store.ts'
import type { WriteStores } from './store.ts'

/** The pages of one write, until they belong to a version or are removed. */
export interface StagedPages {
  /** Stores the pages and returns their revision. Stores the same pages only once. */
  store(book: Book, pages: readonly string[]): Promise<string>
  /**
   * Seals a version with the pages; `seal` returns whether it was stored. If `seal` throws, the outcome is unknown (the
   * store may have done it although the answer was lost). Then the pages stay, and the sweep keeps or removes them.
   */
  commit(seal: () => Promise<boolean>): Promise<boolean>
  /** Removes pages without a version. Never throws: the sweep removes what remains. */
  cleanUp(): Promise<void>
}

/** Maximum age of staged pages for reuse, ms. The sweep might attribute older ones to a crashed writer. */
const reuseWindowMs = 60_000

export function stagePages(ctx: Call & ContentStores & WriteStores): StagedPages {
  let staged: { itemId: string; revision: string; pages: readonly string[]; since: number } | null = null
  let outcome: 'committed' | 'uncommitted' | 'unknown' = 'uncommitted'
  const discard = async () => {
    if (!staged || outcome === 'unknown') return
    const { itemId, revision } = staged
    if (outcome === 'uncommitted') await ctx.contents.discardPages(itemId, revision)
    await ctx.writes.end(itemId, revision)
    staged = null
  }
  return {
    async store({ id: itemId, ownerId }, pages) {
      const reusable = staged && performance.now() - staged.since < reuseWindowMs
      if (staged && reusable && hasSameTexts(staged.pages, pages)) return staged.revision
      await discard()
      const revision = newRevision()
      if (pages.length === 0) return revision
      staged = { itemId, revision, pages, since: performance.now() }
      await ctx.writes.begin({ ownerId, itemId, revision, at: ctx.now() })
      await ctx.contents.writePages(itemId, revision, {
        first: 0,
        pages: pages.map((content) => ({ content, label: null })),
      })
      return revision
    },
    async commit(seal) {
      outcome = 'unknown'
      const sealed = await seal()
      outcome = sealed ? 'committed' : 'uncommitted'
      return sealed
    },
    async cleanUp() {
      try {
        await discard()
      } catch (err) {
        ctx.log.warn({ err }, 'could not remove staged pages')
      }
    },
  }
}

function hasSameTexts(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, index) => text === b[index])
}

/** A new revision id: 12 random characters, 62 bits. It is short because every version lists its revisions. */
function newRevision(): string {
  return newId().slice(-12)
}
