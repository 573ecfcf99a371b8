import { AppError } from '../core/errors.ts'
import type { Shelf } from './store.ts'

/** The shelf with this id, otherwise the one with this slug. */
export function findShelf(shelves: readonly Shelf[], ref: string): Shelf | undefined {
  const slug = ref.normalize('NFC')
  return shelves.find(({ id }) => id === ref) ?? shelves.find((shelf) => shelf.slug === slug)
}

/** The shelf with this id or slug; refuses with SHELF_NOT_FOUND. */
export function requireShelf(shelves: readonly Shelf[], ref: string): Shelf {
  const shelf = findShelf(shelves, ref)
  if (!shelf)
    throw new AppError(
      'SHELF_NOT_FOUND',
      'Shelf not found. List your shelves with list_shelves or GET /api/v1/shelves.',
    )
  return shelf
}
