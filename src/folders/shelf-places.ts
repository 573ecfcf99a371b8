import type { BookAccessStores } from '../books/access.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import { AppError } from '../core/errors.ts'
import { createShelf } from '../shelves/create-shelf.ts'
import type { PlacementStores } from '../shelves/placement-store.ts'
import { nameKey } from '../shelves/require-unique-name.ts'
import { addToShelf } from '../shelves/shelve-books.ts'
import type { ShelfStores } from '../shelves/store.ts'
import { createTally, type Tally } from './tally.ts'

export type ShelfPlaceServices = Call & BookAccessStores & ShelfStores & PlacementStores & PublicAddress

export interface ShelfPlaces {
  /**
   * Puts a book on shelves by name, creating missing shelves. Keeps existing places. Places are written in batches of
   * at most 100.
   */
  place(itemId: string, names: readonly string[]): Promise<void>
  /** Writes the pending places. */
  flush(): Promise<void>
  /** Number of created shelves. */
  created(): number
  /** Number of new places. */
  placed(): number
  /** Shelves that could not be created, by name. */
  notMade: Tally
}

const maxDue = 100

export function createShelfPlaces(ctx: ShelfPlaceServices): ShelfPlaces {
  /** Shelf ids by name key; null: cannot be created. */
  const known = new Map<string, string | null>()
  /** Books with pending places, by shelf name. */
  const due = new Map<string, string[]>()
  const notMade = createTally()
  let [created, placed] = [0, 0]
  const make = async (name: string): Promise<string | null> => {
    const shelves = await ctx.shelves.list(ctx.actor.id)
    const shelf = shelves.find((each) => nameKey(each.name) === nameKey(name))
    if (shelf) return shelf.id
    try {
      const { id } = await createShelf(ctx, { name })
      created += 1
      return id
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (error.code === 'SHELF_NAME_TAKEN') return make(name)
      notMade.add(error.message, name)
      return null
    }
  }
  const idOf = async (name: string): Promise<string | null> => {
    const key = nameKey(name)
    const id = known.get(key) ?? (known.has(key) ? null : await make(name))
    known.set(key, id)
    return id
  }
  const fill = async (name: string, itemIds: readonly string[]): Promise<void> => {
    const shelf = await idOf(name)
    if (shelf === null) return
    try {
      placed += (await addToShelf(ctx, { shelf, itemIds: [...itemIds] })).added.length
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'SHELF_NOT_FOUND')) throw error
      // Its owner has deleted it in the meantime, so it is not created again.
      known.set(nameKey(name), null)
    }
  }
  const flush = async (): Promise<void> => {
    for (const [name, itemIds] of due) {
      await fill(name, itemIds)
      due.delete(name)
    }
  }
  return {
    async place(itemId, names) {
      for (const name of names) due.set(name, [...(due.get(name) ?? []), itemId])
      const count = [...due.values()].reduce((sum, { length }) => sum + length, 0)
      if (count >= maxDue) await flush()
    },
    flush,
    created: () => created,
    placed: () => placed,
    notMade,
  }
}
