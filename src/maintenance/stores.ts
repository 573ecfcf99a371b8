import type { AuditServices } from '../accounts/audit.ts'
import type { ClosureStores } from '../accounts/closure-store.ts'
import type { OauthStores } from '../accounts/oauth-store.ts'
import type { ReadStores } from '../accounts/read-meter.ts'
import type { WebSessionStores } from '../accounts/web-session-store.ts'
import type { AccountStores } from '../accounts/store.ts'
import type { TicketStores } from '../accounts/ticket-store.ts'
import type { BookEventServices } from '../books/events.ts'
import type { BinStores } from '../books/bin-store.ts'
import type { BookStores } from '../books/store.ts'
import type { EmbeddingStores } from '../embeddings/embedding-store.ts'
import type { FileStores } from '../files/store.ts'
import type { GapStores } from '../gaps/store.ts'
import type { SuggestionStores } from '../gaps/suggestion-store.ts'
import type { PictureServices } from '../imports/pictures/pictures.ts'
import type { QueueServices } from '../imports/queue.ts'
import type { UploadStores, JobStores } from '../imports/store.ts'
import type { ManuscriptSlotStores } from '../manuscripts/manuscript-slot-store.ts'
import type { ManuscriptStores } from '../manuscripts/store.ts'
import type { ListingStores } from '../marketplace/listing-store.ts'
import type { SubscriptionSlotStores } from '../marketplace/subscription-slot-store.ts'
import type { SubscriptionStores } from '../marketplace/subscription-store.ts'
import type { NotificationStores } from '../notifications/store.ts'
import type { LastReadStores } from '../reading/last-read-store.ts'
import type { ReadingPositionStores } from '../reading/reading-position-store.ts'
import type { ContentStores } from '../reading/store.ts'
import type { ReadLogStores } from '../research/read-log-store.ts'
import type { SessionQuotaStores } from '../research/session-quota-store.ts'
import type { SessionStores } from '../research/session-store.ts'
import type { SearchStores } from '../search/store.ts'
import type { WatchStores } from '../folders/watch-store.ts'
import type { SettingsStores } from '../settings/store.ts'
import type { PlacementStores } from '../shelves/placement-store.ts'
import type { ShelfStores } from '../shelves/store.ts'
import type { SupportStores } from '../support/store.ts'
import type { DepartmentStores } from '../teams/department-store.ts'
import type { InviteStores } from '../teams/invite-store.ts'
import type { InviteTokenServices } from '../teams/invite-tokens.ts'
import type { MemberStores } from '../teams/member-store.ts'
import type { ShareStores } from '../teams/share-store.ts'
import type { TeamStores } from '../teams/store.ts'
import type { DraftStores } from '../writing/draft-store.ts'
import type { WriteStores } from '../writing/store.ts'
import type { Clock, Log } from '../core/context.ts'

/** The stores of every domain that keeps data of an account or needs cleanup after a crash. */
export type MaintenanceStores = Clock &
  AccountStores &
  ClosureStores &
  AuditServices &
  WebSessionStores &
  TicketStores &
  OauthStores &
  ReadStores &
  BookStores &
  BinStores &
  BookEventServices &
  ContentStores &
  SearchStores &
  EmbeddingStores &
  WriteStores &
  DraftStores &
  LastReadStores &
  ReadingPositionStores &
  UploadStores &
  JobStores &
  ShelfStores &
  PlacementStores &
  ManuscriptStores &
  ManuscriptSlotStores &
  SessionStores &
  SessionQuotaStores &
  ReadLogStores &
  ListingStores &
  SubscriptionStores &
  SubscriptionSlotStores &
  TeamStores &
  MemberStores &
  DepartmentStores &
  ShareStores &
  InviteStores &
  InviteTokenServices &
  GapStores &
  SuggestionStores &
  SettingsStores &
  WatchStores &
  NotificationStores &
  SupportStores &
  FileStores &
  PictureServices &
  QueueServices

export type MaintenanceServices = MaintenanceStores & { log: Log }
