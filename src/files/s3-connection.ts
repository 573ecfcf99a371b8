import { S3Client } from '@aws-sdk/client-s3'

export interface S3Config {
  region: string
  bucket: string
  /** The URL of the store; default AWS. */
  endpoint?: string
  /** The URL under which uploading clients reach the store, if it differs from `endpoint`. */
  publicEndpoint?: string
  /** Both or neither; without them the AWS default chain provides credentials. */
  accessKey?: string
  secretKey?: string
  /** Use `endpoint/bucket/key` instead of `bucket.endpoint/key`. */
  forcePathStyle: boolean
  /** Holds files while they are uploaded and local copies while they are read. */
  tempDirectory: string
  limits?: Partial<S3Limits>
}

/** Time limits of requests, in ms, and the page size of listings. */
export interface S3Limits {
  connectTimeoutMs: number
  /** Until the response headers; after it, the request is not repeated. */
  responseTimeoutMs: number
  /** Between two chunks of a body, in both directions. */
  stallTimeoutMs: number
  /** A copy within the store responds only when it is complete. */
  copyTimeoutMs: number
  readyTimeoutMs: number
  /** The delay before the second attempt; twice as long before the third. */
  backoffMs: number
  /** Files per request of a listing. */
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

/** The shared state of all requests to the bucket. */
export interface S3Connection {
  client: S3Client
  /** Signs upload URLs. */
  signer: S3Client
  bucket: string
  limits: S3Limits
  /** False once the store has responded that it does not support `If-None-Match` on PUT. */
  supportsConditionalPut: boolean
}

/** Creates the clients; does not connect yet. */
export function createS3Connection(config: S3Config): S3Connection {
  const limits = { ...defaultLimits, ...config.limits }
  const client = createClient(config, limits, config.endpoint)
  const signer = config.publicEndpoint ? createClient(config, limits, config.publicEndpoint) : client
  return { client, signer, bucket: config.bucket, limits, supportsConditionalPut: true }
}

// The client would log warnings to the console; relevant failures are thrown as errors.
const silentLogger = { trace() {}, debug() {}, info() {}, warn() {}, error() {} }

function createClient(config: S3Config, limits: S3Limits, endpoint?: string): S3Client {
  const { accessKey, secretKey, region, forcePathStyle } = config
  return new S3Client({
    region,
    endpoint,
    forcePathStyle,
    logger: silentLogger,
    credentials: accessKey && secretKey ? { accessKeyId: accessKey, secretAccessKey: secretKey } : undefined,
    // Otherwise signed uploads carry the checksum of an empty body, which several stores reject.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // `withRetries` retries instead.
    maxAttempts: 1,
    requestHandler: {
      connectionTimeout: limits.connectTimeoutMs,
      requestTimeout: limits.responseTimeoutMs,
      throwOnRequestTimeout: true,
    },
  })
}
