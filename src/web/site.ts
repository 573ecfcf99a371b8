import type { AttemptServices } from '../accounts/attempt-limiter.ts'
import type { AuditServices } from '../accounts/audit.ts'
import type { CallTurnServices } from '../accounts/costly-calls.ts'
import type { ClosureStores } from '../accounts/closure-store.ts'
import type { AccountEventServices } from '../accounts/events.ts'
import type { OauthStores } from '../accounts/oauth-store.ts'
import type { PasswordServices } from '../accounts/password-hasher.ts'
import type { PlanServices } from '../accounts/plans.ts'
import type { ReadStores } from '../accounts/read-meter.ts'
import type { WebSessionStores } from '../accounts/web-session-store.ts'
import type { SignUpMode, SignUpSettings } from '../accounts/sign-up-mode.ts'
import type { AccountStores } from '../accounts/store.ts'
import type { TicketStores } from '../accounts/ticket-store.ts'
import type { BinStores } from '../books/bin-store.ts'
import type { BookStores } from '../books/store.ts'
import type { FileStores } from '../files/store.ts'
import type { JobStores, UploadStores } from '../imports/store.ts'
import type { BookEventServices } from '../books/events.ts'
import type { OperatorCommand, PublicAddress } from '../core/context.ts'
import type { PictureServices } from '../imports/pictures/pictures.ts'
import type { UrlServices } from '../imports/url/fetch-file.ts'
import type { MailServices } from '../mail/mailer.ts'
import type { ManuscriptStores } from '../manuscripts/store.ts'
import type { GapStores } from '../gaps/store.ts'
import type { ListingStores } from '../marketplace/listing-store.ts'
import type { SubscriptionStores } from '../marketplace/subscription-store.ts'
import type { NotificationStores } from '../notifications/store.ts'
import type { EmbeddingStores } from '../embeddings/embedding-store.ts'
import type { EmbedderServices } from '../embeddings/mark-book.ts'
import type { SearchStores } from '../search/store.ts'
import type { ReadingPositionStores } from '../reading/reading-position-store.ts'
import type { ContentStores } from '../reading/store.ts'
import type { ReadLogStores } from '../research/read-log-store.ts'
import type { SessionStores } from '../research/session-store.ts'
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
import type { Clock } from '../core/context.ts'
import type { BoundTool } from '../core/tool.ts'
import type { ServerHealth } from '../health/health.ts'
import type { EventStreams } from '../transport/event-streams.ts'
import type { FormTokens } from './form-tokens.ts'
import type { KnownBrowsers } from './known-browsers.ts'

/** The services that pages use directly, in addition to tools. */
export type PageServices = Clock &
  AccountStores &
  ClosureStores &
  PasswordServices &
  WebSessionStores &
  OauthStores &
  TicketStores &
  SignUpSettings &
  AttemptServices &
  CallTurnServices &
  AuditServices &
  PlanServices &
  ReadStores &
  AccountEventServices &
  BookStores &
  BinStores &
  JobStores &
  UploadStores &
  UrlServices &
  BookEventServices &
  ContentStores &
  DraftStores &
  ReadingPositionStores &
  ManuscriptStores &
  SessionStores &
  ReadLogStores &
  GapStores &
  ListingStores &
  SubscriptionStores &
  SearchStores &
  EmbeddingStores &
  EmbedderServices &
  ShelfStores &
  PlacementStores &
  DepartmentStores &
  TeamStores &
  MemberStores &
  ShareStores &
  InviteStores &
  InviteTokenServices &
  NotificationStores &
  SupportStores &
  FileStores &
  PictureServices &
  MailServices &
  PublicAddress &
  OperatorCommand

/** The configuration and services that all pages of a server share. */
export interface Site {
  services: PageServices
  tools: readonly BoundTool[]
  baseUrl: string
  /** For the pages of administrators. */
  health: ServerHealth
  /** The open event streams of all accounts, including those over REST. */
  streams: EventStreams
  formTokens: FormTokens
  knownBrowsers: KnownBrowsers
  /** Who may create an account. */
  signUp: SignUpMode
  /** The OpenAPI description of the server, created on demand. */
  describeApi(): object
  /** True if assistants can connect with OAuth sign-in. */
  oauth: boolean
}
