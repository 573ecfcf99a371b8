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
  connectMs: number
  /** Until the head of an answer, for each of three attempts. */
  answerMs: number
  /** Between two pieces of a body, in both directions. */
  stallMs: number
  /** A copy inside the store answers only when it is done. */
  copyMs: number
  readyMs: number
  /** Pause before the second attempt; twice as long before the third. */
  backoffMs: number
  /** Files asked for at once in a list. */
  listPage: number
}

const defaults: S3Limits = {
  connectMs: 5_000,
  answerMs: 8_000,
  stallMs: 25_000,
  copyMs: 120_000,
  readyMs: 5_000,
  backoffMs: 200,
  listPage: 1_000,
}

/** What every request to the bucket needs. */
export interface S3Link {
  client: S3Client
  /** Signs upload addresses. */
  signer: S3Client
  bucket: string
  limits: S3Limits
  /** False once the store has said that it cannot refuse to overwrite (`If-None-Match` on PUT). */
  conditionalPut: boolean
}

/** Makes the clients; connects to nothing yet. */
export function linkS3(config: S3Config): S3Link {
  const limits = { ...defaults, ...config.limits }
  const client = makeClient(config, limits, config.endpoint)
  const signer = config.publicEndpoint ? makeClient(config, limits, config.publicEndpoint) : client
  return { client, signer, bucket: config.bucket, limits, conditionalPut: true }
}

// The client would warn on the console; what matters comes back as an error.
const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {} }

function makeClient(config: S3Config, limits: S3Limits, endpoint?: string): S3Client {
  const { accessKey, secretKey, region, forcePathStyle } = config
  return new S3Client({
    region,
    endpoint,
    forcePathStyle,
    logger: silent,
    credentials: accessKey && secretKey ? { accessKeyId: accessKey, secretAccessKey: secretKey } : undefined,
    // Else signed uploads carry the checksum of an empty body, which several stores refuse.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // See `persist`.
    maxAttempts: 1,
    requestHandler: {
      connectionTimeout: limits.connectMs,
      requestTimeout: limits.answerMs,
      throwOnRequestTimeout: true,
    },
  })
}
