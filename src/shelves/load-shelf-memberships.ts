import type { Item } from '../books/schema.ts'
import type { Call } from '../core/context.ts'
import type { ShelfStores } from './store.ts'
import type { PlacementStores } from './placement-store.ts'

type ShelfMemberships = Item['shelves']

/** Up to this number of books, the query lists their ids; for more, reading all placements is cheaper. */
const maxQueriedIds = 1000

/** Loads the caller's shelves of each book, in display order. Two queries for any number of books. */
export async function loadShelfMemberships(
  ctx: Call & ShelfStores & PlacementStores,
  itemIds: readonly string[],
): Promise<(itemId: string) => ShelfMemberships> {
  const [shelves, placements] = await Promise.all([
    ctx.shelves.list(ctx.actor.id),
    ctx.placements.list(ctx.actor.id, itemIds.length <= maxQueriedIds ? { itemIds } : {}),
  ])
  const books = Map.groupBy(placements, ({ shelfId }) => shelfId)
  const memberships = new Map<string, ShelfMemberships>()
  for (const { id, slug, name } of shelves) {
    for (const { itemId } of books.get(id) ?? []) {
      const entry = memberships.get(itemId) ?? []
      entry.push({ id, slug, name })
      memberships.set(itemId, entry)
    }
  }
  return (itemId) => memberships.get(itemId) ?? []
}
