import type { Shelf } from './store.ts'

const maxShelvesNamed = 8

/** Says that no shelf has this name or slug, and which shelves there are. */
export function unknownShelfNote(shelves: readonly Shelf[], value: string): string {
  return `No shelf is called "${value}". ${nameShelves(shelves)}`
}

function nameShelves(shelves: readonly Shelf[]): string {
  if (shelves.length === 0) return 'You have no shelves.'
  const some = shelves.slice(0, maxShelvesNamed).map(({ slug }) => slug)
  const more = shelves.length > some.length ? ', and others: see list_shelves' : ''
  return `The shelves are ${some.join(', ')}${more}.`
}
