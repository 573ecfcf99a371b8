import type { Book } from '../books/book.ts'
import { newId } from '../core/ids.ts'
import type { Call } from '../core/context.ts'
import type { ContentStores } from '../reading/store.ts'
import type { WriteStores } from './store.ts'

/** The pages of one write, from before the first is stored until they belong to a version or are removed again. */
export interface StagedPages {
  /** Stores the pages and gives the revision that they are stored under; the same pages are stored once. */
  store(book: Book, pages: readonly string[]): Promise<string>
  /**
   * Makes a version that holds the pages, by `seal`, which tells whether it came to be. When that fails, nobody here knows:
   * the store may have done it and its answer was lost. Then the pages stay, and the sweep looks what became of them.
   */
  handOver(seal: () => Promise<boolean>): Promise<boolean>
  /** Removes pages that no version holds. Never fails: what it cannot remove the sweep does. */
  end(): Promise<void>
}

/** Pages that have waited longer are stored anew: the sweep might take them for those of a dead writer. */
const freshMs = 60_000

export function stagePages(ctx: Call & ContentStores & WriteStores): StagedPages {
  let staged: { itemId: string; revision: string; pages: readonly string[]; since: number } | null = null
  let held: 'yes' | 'no' | 'perhaps' = 'no'
  const drop = async () => {
    if (!staged || held === 'perhaps') return
    const { itemId, revision } = staged
    if (held === 'no') await ctx.contents.discard(itemId, revision)
    await ctx.writes.end(itemId, revision)
    staged = null
  }
  return {
    async store({ id: itemId, ownerId }, pages) {
      const fresh = staged && performance.now() - staged.since < freshMs
      if (staged && fresh && sameTexts(staged.pages, pages)) return staged.revision
      await drop()
      const revision = newRevision()
      if (pages.length === 0) return revision
      staged = { itemId, revision, pages, since: performance.now() }
      await ctx.writes.begin({ ownerId, itemId, revision, at: ctx.now() })
      await ctx.contents.write(itemId, revision, {
        first: 0,
        pages: pages.map((content) => ({ content, label: null })),
      })
      return revision
    },
    async handOver(seal) {
      held = 'perhaps'
      const sealed = await seal()
      held = sealed ? 'yes' : 'no'
      return sealed
    },
    async end() {
      try {
        await drop()
      } catch (err) {
        ctx.log.warn({ err }, 'could not clear up after a write')
      }
    },
  }
}

function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, index) => text === b[index])
}

/** Short, because every version names the revisions that it is made of: 12 random characters, 62 bits. */
function newRevision(): string {
  return newId().slice(-12)
}
