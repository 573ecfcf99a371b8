import type { Item } from '../books/schema.ts'
import type { Call } from '../core/context.ts'
import type { ShelfStores } from './store.ts'
import type { PlacementStores } from './placement-store.ts'

type Standing = Item['shelves']

/** Up to this many books are asked for by their ids; for more it is cheaper to read all that stands on shelves. */
const byId = 1000

/** Tells on which of the caller's shelves a book stands, in display order. Two queries, however many the books are. */
export async function shelvesOfBooks(
  ctx: Call & ShelfStores & PlacementStores,
  itemIds: readonly string[],
): Promise<(itemId: string) => Standing> {
  const [shelves, placements] = await Promise.all([
    ctx.shelves.list(ctx.actor.id),
    ctx.placements.list(ctx.actor.id, itemIds.length <= byId ? { itemIds } : {}),
  ])
  const books = Map.groupBy(placements, ({ shelfId }) => shelfId)
  const standing = new Map<string, Standing>()
  for (const { id, slug, name } of shelves) {
    for (const { itemId } of books.get(id) ?? []) {
      const entry = standing.get(itemId) ?? []
      entry.push({ id, slug, name })
      standing.set(itemId, entry)
    }
  }
  return (itemId) => standing.get(itemId) ?? []
}
