import type { Call, Clock } from '../core/context.ts'
import type { AttemptServices } from '../accounts/attempt-limiter.ts'
import type { AuditServices } from '../accounts/audit.ts'
import type { ClosureStores } from '../accounts/closure-store.ts'
import type { CallTurnServices } from '../accounts/costly-calls.ts'
import type { AccountEventServices } from '../accounts/events.ts'
import type { IdempotencyServices } from '../accounts/idempotency-store.ts'
import type { OauthStores } from '../accounts/oauth-store.ts'
import type { PasswordServices } from '../accounts/password-hasher.ts'
import type { PlanServices } from '../accounts/plans.ts'
import type { RateServices } from '../accounts/rate-limiter.ts'
import type { ReadStores } from '../accounts/read-meter.ts'
import type { WebSessionStores } from '../accounts/web-session-store.ts'
import type { SignUpSettings } from '../accounts/sign-up-mode.ts'
import type { AccountStores } from '../accounts/store.ts'
import type { TicketStores } from '../accounts/ticket-store.ts'
import type { BookEventServices } from '../books/events.ts'
import type { BinStores } from '../books/bin-store.ts'
import type { BookStores } from '../books/store.ts'
import type { PublicAddress } from '../core/context.ts'
import type { EmbeddingStores } from '../embeddings/embedding-store.ts'
import type { EmbedderServices } from '../embeddings/mark-book.ts'
import type { ExportServices } from '../export/export-account.ts'
import type { FileStores } from '../files/store.ts'
import type { GapStores } from '../gaps/store.ts'
import type { SuggestionStores } from '../gaps/suggestion-store.ts'
import type { PictureServices } from '../imports/pictures/pictures.ts'
import type { QueueServices } from '../imports/queue.ts'
import type { RecognitionStores } from '../imports/ocr/recognition-store.ts'
import type { UploadStores, JobStores } from '../imports/store.ts'
import type { ArrivalServices } from '../imports/upload-file.ts'
import type { UrlServices } from '../imports/url/fetch-file.ts'
import type { MailServices } from '../mail/mailer.ts'
import type { ManuscriptSlotStores } from '../manuscripts/manuscript-slot-store.ts'
import type { ManuscriptStores } from '../manuscripts/store.ts'
import type { ListingStores } from '../marketplace/listing-store.ts'
import type { SubscriptionSlotStores } from '../marketplace/subscription-slot-store.ts'
import type { SubscriptionStores } from '../marketplace/subscription-store.ts'
import type { NotificationStores } from '../notifications/store.ts'
import type { LastReadStores } from '../reading/last-read-store.ts'
import type { ReadingPositionStores } from '../reading/reading-position-store.ts'
import type { ContentStores } from '../reading/store.ts'
import type { TextStreamServices } from '../reading/stream-content.ts'
import type { ReadLogStores } from '../research/read-log-store.ts'
import type { SessionQuotaStores } from '../research/session-quota-store.ts'
import type { SessionStores } from '../research/session-store.ts'
import type { SearchStores } from '../search/store.ts'
import type { TelemetrySettings } from '../settings/machines.ts'
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

/** All services of a server, assembled from the parts of each domain. */
export type Services = Clock &
  AccountStores &
  ClosureStores &
  PasswordServices &
  WebSessionStores &
  TicketStores &
  OauthStores &
  AttemptServices &
  AuditServices &
  PlanServices &
  ReadStores &
  RateServices &
  CallTurnServices &
  IdempotencyServices &
  AccountEventServices &
  BookStores &
  BinStores &
  BookEventServices &
  ContentStores &
  TextStreamServices &
  SearchStores &
  EmbeddingStores &
  EmbedderServices &
  WriteStores &
  DraftStores &
  LastReadStores &
  ReadingPositionStores &
  UploadStores &
  ArrivalServices &
  UrlServices &
  JobStores &
  RecognitionStores &
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
  ExportServices &
  PictureServices &
  QueueServices &
  MailServices &
  TelemetrySettings &
  SignUpSettings &
  PublicAddress

/** A call with all services. */
export type Context = Call & Services
