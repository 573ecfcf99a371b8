import type { ReadStores } from '../accounts/read-meter.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { PublicAddress } from '../core/context.ts'
import type { ReadLogStores } from '../research/read-log-store.ts'
import type { SessionStores } from '../research/session-store.ts'
import type { LastReadStores } from './last-read-store.ts'
import type { ContentStores } from './store.ts'
import type { TextStreamServices } from './stream-content.ts'

/** The stores of a call that reads books, and charges and records the reads. */
export type ReadingStores = BookAccessStores &
  ContentStores &
  LastReadStores &
  ReadStores &
  ReadLogStores &
  SessionStores &
  TextStreamServices &
  PublicAddress
