import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { openFileStore } from '../../src/files/open-file-store.ts'
import { receiveUpload, UploadError, type UploadErrorCode } from '../../src/files/receive-upload.ts'
import type { S3Limits } from '../../src/files/s3-connection.ts'
import type { FileStore } from '../../src/files/store.ts'
import { type Fault, openFaultProxy } from './fault-proxy.ts'

export interface OpenedStore {
  store: FileStore
  /** Returns a key that no other test uses. */
  uniqueKey(name: string): string
  /** Temporary files that were not removed. */
  temporaryFiles(): Promise<string[]>
  close(): Promise<void>
}

export const secret = 'a secret of the tests'

/** The S3 server of the environment; null skips the tests that need it. */
export const s3 = process.env['LECTERN_TEST_S3_ENDPOINT']
  ? {
      endpoint: process.env['LECTERN_TEST_S3_ENDPOINT'],
      bucket: process.env['LECTERN_TEST_S3_BUCKET'] ?? 'lectern-test',
      accessKey: process.env['LECTERN_TEST_S3_ACCESS_KEY'] ?? '',
      secretKey: process.env['LECTERN_TEST_S3_SECRET_KEY'] ?? '',
      region: process.env['LECTERN_TEST_S3_REGION'] ?? 'us-east-1',
    }
  : null

export const s3SkipReason =
  'needs an S3 server: set LECTERN_TEST_S3_ENDPOINT, _BUCKET, _ACCESS_KEY, _SECRET_KEY, _REGION'

/** All stores that the contract tests run on. */
export const stores: [name: string, open: () => Promise<OpenedStore>][] = [
  ['disk', openDisk],
  ...(s3
    ? ([
        ['S3', () => openS3()],
        ['S3 behind a failing network', openFlakyS3],
      ] as const)
    : []),
].map(([name, open]) => [name, open] as [string, () => Promise<OpenedStore>])

/** Opens a store for the tests of one `describe` and checks after each test that no temporary file remains. */
export function useStore(open: () => Promise<OpenedStore>): OpenedStore {
  let opened: OpenedStore
  beforeAll(async () => {
    opened = await open()
  })
  afterEach(async () => expect(await opened.temporaryFiles()).toEqual([]))
  afterAll(() => opened.close())
  return {
    get store() {
      return opened.store
    },
    uniqueKey: (name) => opened.uniqueKey(name),
    temporaryFiles: () => opened.temporaryFiles(),
    close: () => opened.close(),
  }
}

async function openDisk(): Promise<OpenedStore & { directory: string }> {
  const parentDirectory = await mkdtemp(join(tmpdir(), 'lectern-files-'))
  const directory = join(parentDirectory, 'root')
  const receiver = await openReceiver(() => store)
  const store = await openFileStore({ driver: 'disk', directory, baseUrl: receiver.url, secret })
  return {
    store,
    directory,
    uniqueKey: (name) => name,
    temporaryFiles: () => readdir(join(directory, '.tmp')),
    close: async () => {
      await receiver.close()
      await store.close()
      await rm(parentDirectory, { recursive: true })
    },
  }
}

/** The store on the S3 server of the environment; `endpoint` inserts a proxy. */
export async function openS3(options: { endpoint?: string; limits?: Partial<S3Limits> } = {}): Promise<OpenedStore> {
  if (!s3) throw new Error(s3SkipReason)
  await makeBucket(s3)
  const tempDirectory = await mkdtemp(join(tmpdir(), 'lectern-files-'))
  const store = await openFileStore({
    driver: 's3',
    ...s3,
    endpoint: options.endpoint ?? s3.endpoint,
    forcePathStyle: true,
    tempDirectory,
    // Small pages, so that listings consist of several.
    limits: { listPageSize: 3, backoffMs: 10, ...options.limits },
  })
  const keyPrefix = `t${randomBytes(8).toString('hex')}/`
  return {
    store,
    uniqueKey: (name) => keyPrefix + name,
    temporaryFiles: () => readdir(tempDirectory),
    close: async () => {
      for await (const { key } of store.list(keyPrefix)) await store.delete(key)
      await store.close()
      await rm(tempDirectory, { recursive: true })
    },
  }
}

const faults: Fault[] = ['error 503', 'reset before', 'error 500', 'reset after', 'truncated body', 'gateway page']

// Every third request of a kind fails, each time in a different way.
async function openFlakyS3(): Promise<OpenedStore> {
  if (!s3) throw new Error(s3SkipReason)
  const proxy = await openFaultProxy(s3.endpoint)
  const seen = new Map<string, number>()
  let failures = 0
  proxy.chooseFault = ({ method, url }) => {
    // Uploading clients do not retry, unlike the store.
    if (url?.includes('X-Amz-Signature')) return 'pass'
    const kind = `${method} ${url}`
    const before = seen.get(kind) ?? 0
    seen.set(kind, before + 1)
    return before % 3 === 0 ? faults[failures++ % faults.length]! : 'pass'
  }
  const opened = await openS3({ endpoint: proxy.url })
  return {
    ...opened,
    close: async () => {
      await opened.close()
      await proxy.close()
      expect(failures).toBeGreaterThan(0)
    },
  }
}

/** Creates the bucket of the tests if it does not exist. */
export async function makeBucket({
  endpoint,
  region,
  bucket,
  accessKey,
  secretKey,
}: NonNullable<typeof s3>): Promise<void> {
  const credentials = { accessKeyId: accessKey, secretAccessKey: secretKey }
  const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials })
  await client.send(new CreateBucketCommand({ Bucket: bucket })).catch((error: unknown) => {
    if (!(error instanceof Error) || !error.name.startsWith('BucketAlready')) throw error
  })
  client.destroy()
}

const uploadErrorStatus: Record<UploadErrorCode, number> = {
  TOKEN_INVALID: 403,
  TOKEN_EXPIRED: 403,
  TYPE_MISMATCH: 400,
  TOO_LARGE: 413,
  ALREADY_USED: 409,
  LENGTH_MISMATCH: 400,
  INTERRUPTED: 400,
}

/** A server that receives uploads like the product does, on a socket. */
export async function openReceiver(
  store: () => FileStore,
  used: (key: string) => Promise<boolean> = async () => false,
) {
  const refusals: UploadErrorCode[] = []
  const server = createServer((incoming, outgoing) => {
    const length = incoming.headers['content-length']
    const request = {
      token: incoming.url!.slice('/api/v1/upload/blob/'.length),
      contentType: incoming.headers['content-type'] ?? null,
      contentLength: length === undefined ? null : Number(length),
      body: incoming,
    }
    receiveUpload(store(), request, { secret, now: new Date(), isUsed: used }).then(
      (stored) => outgoing.end(JSON.stringify(stored)),
      (error: unknown) => {
        const code = error instanceof UploadError ? error.code : null
        if (code) refusals.push(code)
        outgoing.writeHead(code ? uploadErrorStatus[code] : 500, { connection: 'close' }).end(String(error))
      },
    )
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refusals,
    close: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
