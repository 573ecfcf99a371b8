import type { Scope } from '../core/scopes.ts'

/** What each scope lets a program do, for people. */
export const scopeDescriptions: Record<Scope, string> = {
  'library:read': 'Read books, shelves, manuscripts and the account',
  'library:write': 'Create, change and delete books, shelves and manuscripts',
  'marketplace:read': 'Browse the marketplace',
  'marketplace:write': 'Add and remove books of the marketplace',
}
