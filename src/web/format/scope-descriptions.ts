import type { Scope } from '../../core/scopes.ts'

/** Descriptions of scopes for pages. */
export const scopeDescriptions: Record<Scope, string> = {
  'library:read': 'Read books, shelves, manuscripts and your account',
  'library:write': 'Create, change and delete books, shelves and manuscripts',
  'marketplace:read': 'Browse the marketplace',
  'marketplace:write': 'Add and remove marketplace books',
}
