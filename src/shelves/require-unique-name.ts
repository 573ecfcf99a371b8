import { AppError } from '../core/errors.ts'
import type { Shelf } from './store.ts'

/** Refuses a name that another shelf has, ignoring case and Unicode form, with SHELF_NAME_TAKEN. */
export function requireUniqueName(others: readonly Shelf[], name: string): void {
  const key = nameKey(name)
  if (!others.some((shelf) => nameKey(shelf.name) === key)) return
  throw new AppError('SHELF_NAME_TAKEN', 'A shelf with this name already exists')
}

/**
 * A key that is equal for names that count as the same. Upper case, because it unifies more than lower case does (ß and
 * SS).
 */
export function nameKey(name: string): string {
  return name.normalize('NFC').toUpperCase().normalize('NFC')
}
