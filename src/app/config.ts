import { resolve } from 'node:path'
import { z } from 'zod'
import { NewPassword } from '../accounts/password-hasher.ts'
import { signUpModes, type SignUpMode } from '../accounts/sign-up-mode.ts'
import { EmailAddress } from '../accounts/credentials-schema.ts'
import type { Plan } from '../core/plan.ts'
import { readBaseUrl, readHosts, readOrigins } from './read-addresses.ts'
import { loopbackHosts } from '../runtime/loopback-hosts.ts'
import { readPlans, defaultPlanFor } from './read-plans.ts'
import { readRedirectSchemes } from './redirect-schemes.ts'
import { describeProblem } from './config-problem.ts'
import { readEmbeddingSettings, type EmbeddingSettings } from '../embeddings/settings.ts'
import { readMailSettings, type MailSettings } from '../mail/mail-settings.ts'

const commaSeparatedList = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  )

const booleanFlag = z.stringbool().default(false)

function wholeNumber(min: number, max: number) {
  const range = `must be a whole number from ${min} to ${max}`
  return z.coerce.number(range).int(range).min(min, range).max(max, range)
}

const Environment = z.object({
  PORT: wholeNumber(0, 65_535).default(3000),
  HOST: z.string().min(1).default('127.0.0.1'),
  LECTERN_BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
  LECTERN_DATA_DIR: z.string().min(1).default('./data'),
  LECTERN_MONGODB_URL: z
    .string()
    .regex(/^mongodb(\+srv)?:\/\//, 'must begin with mongodb:// or mongodb+srv://')
    .optional(),
  LECTERN_IMPORT_URL: z.enum(['off', 'https', 'http']).default('off'),
  LECTERN_EMBEDDINGS_URL: z.string().optional(),
  LECTERN_EMBEDDINGS_MODEL: z.string().min(1).max(200).optional(),
  LECTERN_EMBEDDINGS_KEY: z
    .string()
    .regex(/^[!-~]+$/, 'must have no blanks')
    .optional(),
  LECTERN_OCR: z.enum(['on', 'off']).default('on'),
  LECTERN_OCR_PAGES: wholeNumber(1, 50_000).default(1000),
  LECTERN_TESSERACT: z.string().min(1).default('tesseract'),
  LECTERN_PICTURE_CACHE_MB: wholeNumber(0, 1_000_000).default(1000),
  LECTERN_FILES: z.enum(['disk', 's3']).default('disk'),
  LECTERN_S3_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  LECTERN_S3_REGION: z.string().default('us-east-1'),
  LECTERN_S3_BUCKET: z.string().optional(),
  LECTERN_S3_ACCESS_KEY: z.string().optional(),
  LECTERN_S3_SECRET_KEY: z.string().optional(),
  LECTERN_S3_FORCE_PATH_STYLE: booleanFlag,
  LECTERN_BACKUP_TO: z.string().min(1).optional(),
  LECTERN_BACKUP_EVERY: wholeNumber(1, 8760).default(24),
  LECTERN_BACKUP_KEEP: wholeNumber(1, 10_000).default(7),
  LECTERN_SECRET: z.string().min(32, 'must have at least 32 characters').optional(),
  LECTERN_PLANS_FILE: z.string().optional(),
  LECTERN_DEFAULT_PLAN: z.string().optional(),
  LECTERN_SIGNUP: z.enum(signUpModes).default('invite'),
  LECTERN_ADMIN_EMAIL: EmailAddress.optional(),
  LECTERN_ADMIN_PASSWORD: NewPassword.optional(),
  LECTERN_AUDIT_DAYS: wholeNumber(1, 3650).default(365),
  LECTERN_SMTP_URL: z.string().optional(),
  LECTERN_MAIL_FROM: z.string().optional(),
  LECTERN_MAX_CONNECTIONS: wholeNumber(10, 1_000_000).default(10_000),
  LECTERN_TRUSTED_PROXIES: wholeNumber(0, 10).default(0),
  LECTERN_ALLOWED_ORIGINS: commaSeparatedList,
  LECTERN_OAUTH: z.enum(['on', 'off']).default('on'),
  LECTERN_OAUTH_CLIENT_HOSTS: commaSeparatedList,
  LECTERN_OAUTH_REDIRECT_SCHEMES: commaSeparatedList,
  LECTERN_CLIENT_TELEMETRY: z.enum(['on', 'off']).default('on'),
  LECTERN_ROLE: z.enum(['all', 'web', 'worker']).default('all'),
  LECTERN_METRICS_TOKEN: z
    .string()
    .min(16, 'must have at least 16 characters')
    .regex(/^\S+$/, 'must have no blanks')
    .optional(),
  LECTERN_METRICS_PORT: wholeNumber(0, 65_535).optional(),
  LECTERN_WATCH_DIR: z.string().min(1).optional(),
  LECTERN_WATCH_EMAIL: EmailAddress.optional(),
  LECTERN_CATALOGUE_USER: z.string().default(''),
  LECTERN_CATALOGUE_PASSWORD: z.string().default(''),
  LECTERN_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
})

type Environment = z.infer<typeof Environment>

/** Every variable that the configuration reads. */
export const variableNames: readonly string[] = Object.keys(Environment.shape)

export interface Config {
  port: number
  host: string
  /** The base of all absolute URLs, without a trailing slash. */
  baseUrl: string
  /** What operators type before the arguments of the `lectern` command: its name, or how npm runs it in a clone. */
  command: string
  dataDir: string
  /** Undefined: the embedded store in the data directory. */
  mongodbUrl: string | undefined
  /** Text recognition: the program, by name or path, and the maximum number of pages per book; null: off. */
  ocr: { program: string; searchPath: string | undefined; maxPages: number } | null
  /** The embedding service for search by meaning; undefined: search uses words only. */
  embeddings: EmbeddingSettings | undefined
  /** Maximum size of drawn pages and covers in the file store, bytes. */
  pictureCacheBytes: number
  files: { driver: 'disk' } | ({ driver: 's3' } & S3Settings)
  /** How to reach buckets; also set if files are on disk. */
  s3: Omit<S3Settings, 'bucket'>
  /** Scheduled backups; null: none. */
  backups: { to: string; everyHours: number; keep: number } | null
  /** Undefined: generated once and stored in the data directory. */
  secret: string | undefined
  plans: readonly Plan[]
  defaultPlan: string
  /** Who may create an account. */
  signUp: SignUpMode
  /** The first account, created at the first start. */
  firstAccount: { email: string; password: string } | undefined
  /** Retention of audit log entries, days. */
  auditDays: number
  /** Undefined: the server sends no email. */
  mail: MailSettings | undefined
  /** Number of proxies in front of the server that append the client's address to `X-Forwarded-For`. */
  trustedProxies: number
  /** Maximum number of open connections. */
  maxConnections: number
  allowedOrigins: readonly string[]
  /** From which URLs files may be downloaded; `http`: including unencrypted ones. */
  importUrl: 'off' | 'https' | 'http'
  /** True if assistants can connect by OAuth sign-in. */
  oauth: boolean
  /** Additional hosts whose OAuth client metadata documents are accepted. */
  oauthClientHosts: readonly string[]
  /** Additional private-use URI schemes, without a colon, to which OAuth responses may be redirected. */
  oauthRedirectSchemes: readonly string[]
  /** True if the host name and operating system of reporting machines are stored. */
  clientTelemetry: boolean
  role: 'all' | 'web' | 'worker'
  /** The bearer token for scraping `/metrics`. */
  metricsToken: string | undefined
  /** A separate port for metrics; undefined: they are on the main port. */
  metricsPort: number | undefined
  /** The folder whose files are imported, and the account that gets them. */
  watchedFolder: { directory: string; email: string } | undefined
  /** Credentials with which `lectern import` signs in to a catalogue; empty: none. */
  catalogue: { user: string; password: string }
  logLevel: Environment['LECTERN_LOG_LEVEL']
}

export interface S3Settings {
  endpoint: string | undefined
  region: string
  bucket: string
  accessKey: string | undefined
  secretKey: string | undefined
  forcePathStyle: boolean
}

/** Invalid configuration; `message` lists every problem, one per line. */
export class ConfigError extends Error {}

/** Reads the configuration from environment variables. Throws `ConfigError` with all problems. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const nonEmpty = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const parsed = Environment.safeParse(nonEmpty)
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map((issue) => describeProblem(issue, nonEmpty)).join('\n'))
  }
  const env = parsed.data
  const problems: string[] = []
  const baseUrl = readBaseUrl(env.LECTERN_BASE_URL ?? `http://localhost:${env.PORT}`, problems)
  const plans = readPlans(env.LECTERN_PLANS_FILE, problems)
  const config: Config = {
    port: env.PORT,
    host: env.HOST,
    baseUrl,
    command: nonEmpty['npm_package_name'] === 'lectern' ? 'npm run --silent lectern --' : 'lectern',
    dataDir: resolve(env.LECTERN_DATA_DIR),
    mongodbUrl: env.LECTERN_MONGODB_URL,
    importUrl: env.LECTERN_IMPORT_URL,
    ocr: readOcr(env, nonEmpty['PATH']),
    embeddings: readEmbeddingSettings(env, problems),
    pictureCacheBytes: env.LECTERN_PICTURE_CACHE_MB * 1_000_000,
    files: readFiles(env, problems),
    s3: readS3(env, problems),
    backups: readBackups(env),
    secret: env.LECTERN_SECRET,
    plans,
    defaultPlan: env.LECTERN_DEFAULT_PLAN ?? defaultPlanFor(env.LECTERN_SIGNUP, plans),
    signUp: env.LECTERN_SIGNUP,
    firstAccount: readFirstAccount(env, problems),
    auditDays: env.LECTERN_AUDIT_DAYS,
    mail: readMailSettings({ smtpUrl: env.LECTERN_SMTP_URL, from: env.LECTERN_MAIL_FROM, baseUrl }, problems),
    trustedProxies: env.LECTERN_TRUSTED_PROXIES,
    maxConnections: env.LECTERN_MAX_CONNECTIONS,
    allowedOrigins: readOrigins(env.LECTERN_ALLOWED_ORIGINS, problems),
    oauth: readOauth(env.LECTERN_OAUTH, baseUrl, problems),
    oauthClientHosts: readHosts(env.LECTERN_OAUTH_CLIENT_HOSTS, problems),
    oauthRedirectSchemes: readRedirectSchemes(env.LECTERN_OAUTH_REDIRECT_SCHEMES, problems),
    clientTelemetry: env.LECTERN_CLIENT_TELEMETRY === 'on',
    role: env.LECTERN_ROLE,
    metricsToken: env.LECTERN_METRICS_TOKEN,
    metricsPort: readMetricsPort(env, problems),
    watchedFolder: readWatchedFolder(env, problems),
    catalogue: { user: env.LECTERN_CATALOGUE_USER, password: env.LECTERN_CATALOGUE_PASSWORD },
    logLevel: env.LECTERN_LOG_LEVEL,
  }
  if (!config.plans.some(({ tier }) => tier === config.defaultPlan)) {
    const tiers = config.plans.map(({ tier }) => tier).join(', ')
    problems.push(`LECTERN_DEFAULT_PLAN: there is no plan ${config.defaultPlan}; the plans are ${tiers}`)
  }
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  return config
}

/** The variables that hold secrets, or addresses that may contain a password. */
const secretVariables = [
  'LECTERN_SECRET',
  'LECTERN_MONGODB_URL',
  'LECTERN_S3_ACCESS_KEY',
  'LECTERN_S3_SECRET_KEY',
  'LECTERN_SMTP_URL',
  'LECTERN_ADMIN_PASSWORD',
  'LECTERN_CATALOGUE_PASSWORD',
  'LECTERN_EMBEDDINGS_KEY',
] as const

/** Removes the secrets from an environment after it has been read, so that later code cannot find them there. */
export function forgetSecrets(environment: Record<string, string | undefined>): void {
  for (const name of secretVariables) delete environment[name]
}

/** OAuth requires https, except on a loopback host: tokens and passwords are never sent unencrypted (RFC 9700, section 2.6). */
function readOauth(setting: 'on' | 'off', baseUrl: string, problems: string[]): boolean {
  const { protocol, hostname } = new URL(baseUrl)
  if (setting === 'on' && protocol === 'http:' && !loopbackHosts.has(hostname)) {
    problems.push(
      `LECTERN_BASE_URL: ${baseUrl} is neither https nor on this computer; use https, or set LECTERN_OAUTH=off (API keys only)`,
    )
  }
  return setting === 'on'
}

function readFirstAccount(env: Environment, problems: string[]): Config['firstAccount'] {
  const { LECTERN_ADMIN_EMAIL: email, LECTERN_ADMIN_PASSWORD: password } = env
  if (email !== undefined && password !== undefined) return { email, password }
  if (email !== undefined) problems.push('LECTERN_ADMIN_PASSWORD: required with LECTERN_ADMIN_EMAIL')
  if (password !== undefined) problems.push('LECTERN_ADMIN_EMAIL: required with LECTERN_ADMIN_PASSWORD')
  return undefined
}

function readWatchedFolder(env: Environment, problems: string[]): Config['watchedFolder'] {
  const { LECTERN_WATCH_DIR: directory, LECTERN_WATCH_EMAIL: email } = env
  if (directory !== undefined && email !== undefined) return { directory: resolve(directory), email }
  if (directory !== undefined) problems.push('LECTERN_WATCH_EMAIL: required with LECTERN_WATCH_DIR')
  if (email !== undefined) problems.push('LECTERN_WATCH_DIR: required with LECTERN_WATCH_EMAIL')
  return undefined
}

function readOcr(env: Environment, searchPath: string | undefined): Config['ocr'] {
  if (env.LECTERN_OCR === 'off') return null
  return { program: env.LECTERN_TESSERACT, searchPath, maxPages: env.LECTERN_OCR_PAGES }
}

function readFiles(env: Environment, problems: string[]): Config['files'] {
  if (env.LECTERN_FILES === 'disk') return { driver: 'disk' }
  if (!env.LECTERN_S3_BUCKET) problems.push('LECTERN_S3_BUCKET: required with LECTERN_FILES=s3')
  return { driver: 's3', bucket: env.LECTERN_S3_BUCKET ?? '', ...readS3(env, []) }
}

function readBackups(env: Environment): Config['backups'] {
  const { LECTERN_BACKUP_TO: to, LECTERN_BACKUP_EVERY: everyHours, LECTERN_BACKUP_KEEP: keep } = env
  return to === undefined ? null : { to: resolve(to), everyHours, keep }
}

function readMetricsPort({ LECTERN_METRICS_PORT: port, PORT }: Environment, problems: string[]): number | undefined {
  if (port === PORT && port !== 0)
    problems.push(`LECTERN_METRICS_PORT: must be another port than PORT, which is ${port}`)
  return port
}

function readS3(env: Environment, problems: string[]): Config['s3'] {
  const { LECTERN_S3_ACCESS_KEY: accessKey, LECTERN_S3_SECRET_KEY: secretKey } = env
  if (accessKey && !secretKey) problems.push('LECTERN_S3_SECRET_KEY: required with LECTERN_S3_ACCESS_KEY')
  if (secretKey && !accessKey) problems.push('LECTERN_S3_ACCESS_KEY: required with LECTERN_S3_SECRET_KEY')
  return {
    endpoint: env.LECTERN_S3_ENDPOINT,
    region: env.LECTERN_S3_REGION,
    accessKey,
    secretKey,
    forcePathStyle: env.LECTERN_S3_FORCE_PATH_STYLE,
  }
}
