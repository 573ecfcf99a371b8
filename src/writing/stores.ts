import type { AccountStores } from '../accounts/store.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { BookEventServices } from '../books/events.ts'
import type { PublicAddress } from '../core/context.ts'
import type { ContentStores } from '../reading/store.ts'
import type { WriteStores } from './store.ts'

/** The imports, one of which may be writing the same book. */
export interface ImportJobStores {
  jobs: {
    byId(accountId: string, id: string): Promise<{ status: string } | null>
  }
}

/** What a call takes that writes a new version of a book. */
export type WritingStores = AccountStores &
  BookAccessStores &
  BookEventServices &
  ContentStores &
  ImportJobStores &
  WriteStores &
  PublicAddress
