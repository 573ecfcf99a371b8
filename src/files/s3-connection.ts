import { S3Client } from '@aws-sdk/client-s3'

export interface S3Config {
  region: string
  bucket: string
  /** The store's address; AWS when left out. */
  endpoint?: string
  /** The address under which uploading clients reach the store, where it differs from `endpoint`. */
  publicEndpoint?: string
  /** Both or neither; without them the AWS default chain looks for credentials. */
  accessKey?: string
  secretKey?: string
  /** `endpoint/bucket/key` instead of `bucket.endpoint/key`. */
  forcePathStyle: boolean
  /** Holds bodies on their way up and copies on their way to a reader. */
  tempDirectory: string
  limits?: Partial<S3Limits>
}

/** How long the store may take, and how it is asked. */
export interface S3Limits {
  connectTimeoutMs: number
  /** Until the head of an answer, for each of three attempts. */
  responseTimeoutMs: number
  /** Between two pieces of a body, in both directions. */
  stallTimeoutMs: number
  /** A copy inside the store answers only when it is done. */
  copyTimeoutMs: number
  readyTimeoutMs: number
  /** Pause before the second attempt; twice as long before the third. */
  backoffMs: number
  /** Files asked for at once in a list. */
  listPageSize: number
}

const defaultLimits: S3Limits = {
  connectTimeoutMs: 5_000,
  responseTimeoutMs: 8_000,
  stallTimeoutMs: 25_000,
  copyTimeoutMs: 120_000,
  readyTimeoutMs: 5_000,
  backoffMs: 200,
  listPageSize: 1_000,
}

/** What every request to the bucket needs. */
export interface S3Connection {
  client: S3Client
  /** Signs upload addresses. */
  signer: S3Client
  bucket: string
  limits: S3Limits
  /** False once the store has said that it cannot refuse to overwrite (`If-None-Match` on PUT). */
  supportsConditionalPut: boolean
}

/** Makes the clients; connects to nothing yet. */
export function createS3Connection(config: S3Config): S3Connection {
  const limits = { ...defaultLimits, ...config.limits }
  const client = createClient(config, limits, config.endpoint)
  const signer = config.publicEndpoint ? createClient(config, limits, config.publicEndpoint) : client
  return { client, signer, bucket: config.bucket, limits, supportsConditionalPut: true }
}

// The client would warn on the console; what matters comes back as an error.
const silentLogger = { trace() {}, debug() {}, info() {}, warn() {}, error() {} }

function createClient(config: S3Config, limits: S3Limits, endpoint?: string): S3Client {
  const { accessKey, secretKey, region, forcePathStyle } = config
  return new S3Client({
    region,
    endpoint,
    forcePathStyle,
    logger: silentLogger,
    credentials: accessKey && secretKey ? { accessKeyId: accessKey, secretAccessKey: secretKey } : undefined,
    // Else signed uploads carry the checksum of an empty body, which several stores refuse.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // See `persist`.
    maxAttempts: 1,
    requestHandler: {
      connectionTimeout: limits.connectTimeoutMs,
      requestTimeout: limits.responseTimeoutMs,
      throwOnRequestTimeout: true,
    },
  })
}
