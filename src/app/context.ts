import type { Call, OperatorCommand, PublicAddress } from '../core/context.ts'
import type { AttemptServices } from '../accounts/attempt-limiter.ts'
import type { CallTurnServices } from '../accounts/costly-calls.ts'
import type { AccountEventServices } from '../accounts/events.ts'
import type { IdempotencyServices } from '../accounts/idempotency-store.ts'
import type { PasswordServices } from '../accounts/password-hasher.ts'
import type { PlanServices } from '../accounts/plans.ts'
import type { RateServices } from '../accounts/rate-limiter.ts'
import type { SignUpSettings } from '../accounts/sign-up-mode.ts'
import type { EmbedderServices } from '../embeddings/mark-book.ts'
import type { ExportServices } from '../export/export-account.ts'
import type { RecognitionStores } from '../imports/ocr/recognition-store.ts'
import type { ArrivalServices } from '../imports/upload-file.ts'
import type { UrlServices } from '../imports/url/fetch-file.ts'
import type { MailServices } from '../mail/mailer.ts'
import type { TextStreamServices } from '../reading/stream-content.ts'
import type { TelemetrySettings } from '../settings/machines.ts'
import type { MaintenanceStores } from '../maintenance/stores.ts'

/** All services of a server: the stores of the domains, and what else their use cases need. */
export type Services = MaintenanceStores &
  PasswordServices &
  AttemptServices &
  PlanServices &
  RateServices &
  CallTurnServices &
  IdempotencyServices &
  AccountEventServices &
  TextStreamServices &
  EmbedderServices &
  ArrivalServices &
  UrlServices &
  RecognitionStores &
  ExportServices &
  MailServices &
  TelemetrySettings &
  SignUpSettings &
  PublicAddress &
  OperatorCommand

/** A call with all services. */
export type Context = Call & Services
