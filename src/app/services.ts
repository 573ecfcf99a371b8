import { createImportPasswords } from '../imports/import-passwords.ts'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Db } from 'mongodb'
import { createAttemptLimiter } from '../accounts/attempt-limiter.ts'
import { createAudit } from '../accounts/audit-store.ts'
import { createClosureStore } from '../accounts/closure-store.ts'
import { createCallTurnServices } from '../accounts/costly-calls.ts'
import { createIdempotencyStore } from '../accounts/idempotency-store.ts'
import { createOauthStore } from '../accounts/oauth-store.ts'
import { createPasswordHasher, passwordCost, type HashCost } from '../accounts/password-hasher.ts'
import { createPlans } from '../accounts/plans.ts'
import { createRateLimiter, rateLimits, type RateBucket } from '../accounts/rate-limiter.ts'
import { createReadMeter } from '../accounts/read-meter.ts'
import { createWebSessionStore } from '../accounts/web-session-store.ts'
import { createAccountStore } from '../accounts/store.ts'
import { createTicketStore } from '../accounts/ticket-store.ts'
import { createBinStore } from '../books/bin-store.ts'
import { createBookStore } from '../books/store.ts'
import type { Log } from '../core/context.ts'
import { shield, readSignal } from '../core/cancellation.ts'
import type { Config } from './config.ts'
import { settingsOf } from './settings.ts'
import { openOwnDirectory } from './data-directory.ts'
import type { Services } from './context.ts'
import { createAccountEvents, createBookEvents } from './events.ts'
import { startClock } from '../db/clock.ts'
import { reportOutages } from '../db/report-outages.ts'
import { connectDatabase, type Database } from '../db/connect.ts'
import { guardDb } from '../db/guard-db.ts'
import { schemaVersions, type SchemaVersions } from '../db/installation.ts'
import type { Migration } from '../db/migrate.ts'
import { bodyTimes, type BodyTimes } from '../http/body-time.ts'
import { openConfiguredFileStore } from './file-store.ts'
import type { FileStore } from '../files/store.ts'
import { createGapStore } from '../gaps/store.ts'
import { createSuggestionStore } from '../gaps/suggestion-store.ts'
import type { ExtractorOptions } from '../imports/extract/extractor.ts'
import { createPictures, type Pictures } from '../imports/pictures/pictures.ts'
import { createJobStore, createUploadStore } from '../imports/store.ts'
import { createRecognitionStore } from '../imports/ocr/recognition-store.ts'
import { defaultTimes, type WorkerTimes } from '../imports/ocr/recognition-worker.ts'
import { createTurnStore } from '../accounts/turn-store.ts'
import { arrivalLimits } from '../imports/upload-file.ts'
import type { UrlPolicy } from '../imports/url/fetch-file.ts'
import { isPublicAddress } from '../imports/url/public-address.ts'
import { createSlots } from '../runtime/slots.ts'
import { createAgenda, type JobQueue } from '../jobs/agenda.ts'
import { createQueue } from '../jobs/queue.ts'
import { createLog } from './log.ts'
import { migrations } from '../maintenance/migrations.ts'
import { openMailer } from '../mail/open-mailer.ts'
import { createNotificationStore } from '../notifications/store.ts'
import { createManuscriptSlotStore } from '../manuscripts/manuscript-slot-store.ts'
import { createManuscriptStore } from '../manuscripts/store.ts'
import { createLastReadStore } from '../reading/last-read-store.ts'
import { createFigureFiles } from '../reading/figure-files.ts'
import { createReadingPositionStore } from '../reading/reading-position-store.ts'
import { createContentStore } from '../reading/store.ts'
import { createTextStreams } from '../reading/stream-content.ts'
import { createEmbedder, embedderTimes, type EmbedderTimes } from '../embeddings/embedder.ts'
import { createEmbeddingStore } from '../embeddings/embedding-store.ts'
import { embeddingTimes, type EmbeddingTimes } from '../embeddings/worker.ts'
import { createSearchStore } from '../search/store.ts'
import { exportLimits } from '../export/export-account.ts'
import { createDraftStore } from '../writing/draft-store.ts'
import { createWriteStore } from '../writing/store.ts'
import { createReadLog } from '../research/read-log-store.ts'
import { createSessionQuotaStore } from '../research/session-quota-store.ts'
import { createSessionStore } from '../research/session-store.ts'
import { createListingStore } from '../marketplace/listing-store.ts'
import { createSubscriptionSlotStore } from '../marketplace/subscription-slot-store.ts'
import { createSubscriptionStore } from '../marketplace/subscription-store.ts'
import { createDepartmentStore } from '../teams/department-store.ts'
import { createInviteStore } from '../teams/invite-store.ts'
import { createInviteTokens } from '../teams/invite-tokens.ts'
import { createMemberStore } from '../teams/member-store.ts'
import { createShareStore } from '../teams/share-store.ts'
import { createTeamStore } from '../teams/store.ts'
import { createWatchStore } from '../folders/watch-store.ts'
import { createSettingsStore } from '../settings/store.ts'
import { createPlacementStore } from '../shelves/placement-store.ts'
import { createShelfStore } from '../shelves/store.ts'
import { loadOrCreateSecret } from './secret.ts'
import { createSupportStore } from '../support/store.ts'

/** Parameters that tests and benchmarks override; not configuration. */
export interface Tuning {
  /** Time without a heartbeat after which a worker's job is taken over, ms. */
  leaseMs: number
  /** Interval at which workers poll for jobs, ms. */
  pollIntervalMs: number
  rateLimits: Record<RateBucket, number>
  /** Fetches metadata documents of OAuth clients. */
  fetch: typeof fetch
  /** Time limits for request bodies. */
  bodyTimes: BodyTimes
  /** Which servers files may be downloaded from, if downloads are enabled. */
  urlImports: Omit<UrlPolicy, 'mode'>
  /** The cost of new password hashes. */
  passwordCost: HashCost
  /** The schedule of text recognition. */
  recognition: WorkerTimes
  /** The schedule of embedding, and how long searches wait for the vector of a query. */
  embedding: EmbeddingTimes & EmbedderTimes
  /** True if the database client emits command events. */
  monitorCommands: boolean
  /** The migrations. */
  migrations: readonly Migration<Services>[]
  schema: SchemaVersions
  /** True to leave an existing library unchanged. */
  isReadOnly: boolean
  /** Options for starting reading processes. */
  readers: Pick<ExtractorOptions, 'codeCache' | 'spare'>
}

const defaultTuning: Tuning = {
  leaseMs: 30_000,
  pollIntervalMs: 1000,
  rateLimits,
  fetch,
  bodyTimes,
  urlImports: { allowsAddress: isPublicAddress, anyPort: false },
  passwordCost,
  recognition: defaultTimes,
  embedding: { ...embeddingTimes, ...embedderTimes },
  monitorCommands: false,
  migrations,
  schema: schemaVersions,
  isReadOnly: false,
  readers: {},
}

/** How long to wait for pending emails when the process stops, ms. */
const mailDrainTimeoutMs = 5000

export interface OpenedServices {
  services: Services
  database: Database
  jobQueue: JobQueue
  tuning: Tuning
  /** Signs upload URLs and CSRF tokens. */
  secret: string
  close(): Promise<void>
}

/** Opens all services of the configured server: the database, the file store and the job queue. */
export async function openServices(config: Config, overrides: Partial<Tuning> = {}): Promise<OpenedServices> {
  const tuning = { ...defaultTuning, ...overrides }
  const log = createLog(config.logLevel)
  await openOwnDirectory(config.dataDir, log)
  const secret = config.secret ?? (await loadOrCreateSecret(join(config.dataDir, 'secret')))
  // Opened before the database, which would have to be closed if this fails.
  const files = await openConfiguredFileStore(config, secret)
  const database = await openDatabase(config, tuning, log)
  const { db } = database
  const jobQueue = createAgenda(db, {
    workerName: `${hostname()}:${process.pid}`,
    pollIntervalMs: tuning.pollIntervalMs,
    lockTimeoutMs: tuning.leaseMs,
  })
  await jobQueue.agenda.ready
  const clock = await startClock(db, log)
  const { mongodbUrl: url } = config
  const stopReporting = url === undefined ? null : reportOutages(database.client, { url, log })
  const mail = openMailer(config.mail, log)
  const onCountError = (err: unknown) => log.warn({ err }, 'read counts or reading positions could not be written')
  const onIndexError = (err: unknown) => log.warn({ err }, 'completed index work was not deleted; the sweep deletes it')
  const guardedDb = guardDb(db, { beforeRead: readSignal, beforeWrite: shield })
  const stores = {
    ...accountStores(guardedDb, { config, secret, tuning, now: clock.now }),
    ...libraryStores(guardedDb, { files, onIndexError }),
    ...sharingStores(guardedDb, secret),
    ...unguardedStores(db, { tuning, onCountError }),
    audit: createAudit(db, { now: clock.now, days: config.auditDays, log }),
    ...settingsOf(config, tuning),
    files,
    pictures: openPictures(config, tuning, { files, now: clock.now }),
    queue: createQueue(jobQueue.agenda, clock.now),
    mail,
    embedder: config.embeddings === undefined ? null : createEmbedder(config.embeddings, tuning.embedding),
    now: clock.now,
  }
  const services: Services = {
    ...stores,
    bookEvents: createBookEvents(stores, log),
    accountEvents: createAccountEvents(stores),
  }
  return {
    services,
    database,
    jobQueue,
    tuning,
    secret,
    async close() {
      await services.pictures.close()
      await mail?.close(mailDrainTimeoutMs)
      const { readMeter, readLog, readingPositions, audit, search } = services
      await Promise.all([readMeter, readLog, readingPositions, audit, search.work].map((written) => written.flush()))
      await files.close()
      clock.stop()
      stopReporting?.()
      await database.close()
    },
  }
}

function openDatabase({ mongodbUrl: url, dataDir: directory }: Config, tuning: Tuning, log: Log): Promise<Database> {
  const { monitorCommands, schema, isReadOnly } = tuning
  const onWaiting = (hosts: string) => log.warn({}, `waiting for the database at ${hosts}`)
  return connectDatabase({ url, directory, monitorCommands, schema, isReadOnly, onWaiting })
}

function accountStores(
  db: Db,
  { config, secret, tuning, now }: { config: Config; secret: string; tuning: Tuning; now: () => Date },
) {
  return {
    accounts: createAccountStore(db),
    accountClosures: createClosureStore(db),
    passwords: createPasswordHasher({ cost: tuning.passwordCost }),
    webSessions: createWebSessionStore(db),
    tickets: createTicketStore(db),
    oauth: createOauthStore(db, now),
    plans: createPlans(config.plans, config.defaultPlan),
    idempotency: createIdempotencyStore(db, secret),
    ...createCallTurnServices(),
    importPasswords: createImportPasswords(secret),
    settings: createSettingsStore(db),
    watches: createWatchStore(db),
    notifications: createNotificationStore(db),
    support: createSupportStore(db),
  }
}

function libraryStores(db: Db, { files, onIndexError }: { files: FileStore; onIndexError: (error: unknown) => void }) {
  return {
    books: createBookStore(db),
    bin: createBinStore(db),
    contents: createContentStore(db, createFigureFiles(files)),
    textStreams: createTextStreams(),
    search: createSearchStore(db, { onError: onIndexError }),
    embeddings: createEmbeddingStore(db),
    writes: createWriteStore(db),
    drafts: createDraftStore(db),
    uploads: createUploadStore(db),
    jobs: createJobStore(db),
    turns: createTurnStore(db),
    arrivals: createSlots(arrivalLimits),
    exports: createSlots(exportLimits),
    recognitions: createRecognitionStore(db),
    shelves: createShelfStore(db),
    placements: createPlacementStore(db),
    manuscripts: createManuscriptStore(db),
    manuscriptSlots: createManuscriptSlotStore(db),
    sessions: createSessionStore(db),
    sessionQuota: createSessionQuotaStore(db),
  }
}

function sharingStores(db: Db, secret: string) {
  return {
    listings: createListingStore(db),
    subscriptions: createSubscriptionStore(db),
    subscriptionSlots: createSubscriptionSlotStore(db),
    teams: createTeamStore(db),
    members: createMemberStore(db),
    departments: createDepartmentStore(db),
    shares: createShareStore(db),
    invites: createInviteStore(db),
    inviteTokens: createInviteTokens(secret),
    gaps: createGapStore(db),
    suggestions: createSuggestionStore(db),
  }
}

/** Stores that batch work of many calls. Their database is unguarded, so that no single call cancels a batch. */
function unguardedStores(db: Db, { tuning, onCountError }: { tuning: Tuning; onCountError: (error: unknown) => void }) {
  return {
    attemptLimiter: createAttemptLimiter(db),
    rateLimiter: createRateLimiter(db, tuning.rateLimits),
    readMeter: createReadMeter(db, { onError: onCountError }),
    lastReads: createLastReadStore(db),
    readingPositions: createReadingPositionStore(db, { onError: onCountError }),
    readLog: createReadLog(db, { onError: onCountError }),
  }
}

function openPictures(
  { pictureCacheBytes: maxBytes }: Config,
  { readers: { codeCache = null } }: Tuning,
  stores: { files: FileStore; now: () => Date },
): Pictures {
  return createPictures({ ...stores, maxBytes, drawing: { codeCache } })
}
