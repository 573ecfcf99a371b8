import type { OauthStores } from '../accounts/oauth-store.ts'
import type { BookStores } from '../books/store.ts'
import type { Migration } from '../db/migrate.ts'
import type { ContentStores } from '../reading/store.ts'
import { recountStoredBytes } from '../reading/stored-bytes.ts'

type MigratedStores = OauthStores & BookStores & ContentStores

/**
 * The migrations in the order in which they run. See "Change the stored data" in CONTRIBUTING.md. Derived data that is
 * marked as outdated, such as the search index, needs none: the sweep derives it again.
 */
export const migrations: readonly Migration<MigratedStores>[] = [
  {
    name: 'hash-client-secrets',
    summary: 'Replaces secrets of OAuth clients that are stored as plain text by their hashes',
    count: ({ oauth }) => oauth.countPlaintextSecrets(),
    run: ({ oauth }, limit) => oauth.hashPlaintextSecrets(limit),
  },
  {
    name: 'count-stored-bytes',
    summary: 'Counts the bytes of books that were stored before bytes were counted',
    count: ({ books }) => books.countUncountedBytes(),
    async run(stores, limit) {
      const uncounted = await stores.books.listUncountedBytes(limit)
      let counted = 0
      for (const book of uncounted) if (await recountStoredBytes(stores, book)) counted += 1
      return counted
    },
  },
]
