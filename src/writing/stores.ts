import type { PlanServices } from '../accounts/plans.ts'
import type { AccountStores } from '../accounts/store.ts'
import type { BinStores } from '../books/bin-store.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { PublicationStores } from '../books/publication.ts'
import type { BookEventServices } from '../books/events.ts'
import type { PublicAddress } from '../core/context.ts'
import type { ContentStores } from '../reading/store.ts'
import type { WriteStores } from './store.ts'

/** The part of the import jobs that knows whether a job is writing to the same book. */
export interface ImportJobStores {
  jobs: {
    byId(accountId: string, id: string): Promise<{ status: string } | null>
  }
}

/** The stores of a call that writes a new version of a book. */
export type WritingStores = AccountStores &
  BinStores &
  BookAccessStores &
  BookEventServices &
  ContentStores &
  ImportJobStores &
  PublicationStores &
  WriteStores &
  PlanServices &
  PublicAddress
