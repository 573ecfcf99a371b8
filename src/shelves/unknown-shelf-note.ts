import { editDistance } from '../text/words/edit-distance.ts'
import { titleSortKey } from '../text/words/sort-key.ts'
import type { Shelf } from './store.ts'

const maxShelvesNamed = 8

/** Says that no shelf has this name or slug, and which shelves there are: if there are many, those with the most similar names. */
export function unknownShelfNote(shelves: readonly Shelf[], value: string): string {
  return `No shelf is called "${value}". ${nameShelves(shelves, value)}`
}

function nameShelves(shelves: readonly Shelf[], value: string): string {
  if (shelves.length === 0) return 'You have no shelves.'
  const some = (shelves.length > maxShelvesNamed ? mostSimilar(shelves, value) : shelves).map(({ slug }) => slug)
  const more = shelves.length > some.length ? ', and others: see list_shelves' : ''
  return `The shelves are ${some.join(', ')}${more}.`
}

const maxDistance = 20

function mostSimilar(shelves: readonly Shelf[], value: string): Shelf[] {
  const wanted = titleSortKey(value)
  const distanced = shelves.map((shelf) => ({
    shelf,
    distance: editDistance(titleSortKey(shelf.name), wanted, maxDistance),
  }))
  return distanced
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, maxShelvesNamed)
    .map(({ shelf }) => shelf)
}
