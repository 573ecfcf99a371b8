import { AppError } from '../core/errors.ts'
import type { Shelf } from './store.ts'

/** Refuses a name that another shelf has, whatever its case and its form of Unicode, with SHELF_NAME_TAKEN. */
export function requireUniqueName(others: readonly Shelf[], name: string): void {
  const key = nameKey(name)
  if (!others.some((shelf) => nameKey(shelf.name) === key)) return
  throw new AppError('SHELF_NAME_TAKEN', 'A shelf with this name already exists')
}

/** Equal for names that count as one: upper case, because it knows more pairs than lower case does (ß and SS). */
export function nameKey(name: string): string {
  return name.normalize('NFC').toUpperCase().normalize('NFC')
}
