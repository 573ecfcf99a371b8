import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { S3Config } from '../../src/files/s3-connection.ts'
import { openS3Store } from '../../src/files/s3-store.ts'
import { readBytes, randomFile, streamOf } from './bytes.ts'

// How the driver handles the responses of a store. A server on loopback gives scripted responses.
const pdf = { contentType: 'application/pdf', maxBytes: 10_000_000 }
const canaries = { accessKey: 'CANARYACCESSKEY', secretKey: 'canary-secret-key' }
const limits = {
  backoffMs: 10,
  responseTimeoutMs: 150,
  readyTimeoutMs: 150,
  stallTimeoutMs: 150,
  connectTimeoutMs: 500,
}

type Answer = (incoming: IncomingMessage, outgoing: ServerResponse) => void

let answer: Answer
let requests: string[]
let endpoint: string
let tempDirectory: string
let stop: () => Promise<unknown>

beforeEach(async () => {
  requests = []
  const server = createServer((incoming, outgoing) => {
    requests.push(incoming.method ?? '')
    incoming.resume()
    answer(incoming, outgoing)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  tempDirectory = await mkdtemp(join(tmpdir(), 'lectern-s3-'))
  stop = async () => {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
    await rm(tempDirectory, { recursive: true })
  }
})
afterEach(() => stop())

const open = (changes: Partial<S3Config> = {}) =>
  openS3Store({
    region: 'eu-central-1',
    bucket: 'books',
    endpoint,
    forcePathStyle: true,
    tempDirectory,
    limits,
    ...canaries,
    ...changes,
  })

const answerError = (status: number, code: string, message = 'No'): Answer => {
  const xml = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`
  return (incoming, outgoing) => {
    outgoing.writeHead(status, { 'content-type': 'application/xml' }).end(incoming.method === 'HEAD' ? '' : xml)
  }
}

/** Responds 404 to every HEAD request; `then` handles every other request. */
const onPut =
  (then: Answer): Answer =>
  (incoming, outgoing) =>
    (incoming.method === 'HEAD' ? answerError(404, 'NotFound') : then)(incoming, outgoing)

describe('responses to storing a file', () => {
  test.for([
    [403, 'AccessDenied', 'UNAVAILABLE', 1],
    [404, 'NoSuchBucket', 'UNAVAILABLE', 1],
    [412, 'PreconditionFailed', 'EXISTS', 1],
    [413, 'EntityTooLarge', 'TOO_LARGE', 1],
    [400, 'EntityTooLarge', 'TOO_LARGE', 1],
    [403, 'QuotaExceeded', 'FULL', 1],
    [507, 'InsufficientStorage', 'FULL', 1],
    [507, 'XMinioStorageFull', 'FULL', 1],
    [400, 'RequestTimeout', 'UNAVAILABLE', 3],
    [409, 'ConditionalRequestConflict', 'UNAVAILABLE', 3],
    [429, 'TooManyRequests', 'UNAVAILABLE', 3],
    [500, 'InternalError', 'UNAVAILABLE', 3],
    [503, 'SlowDown', 'UNAVAILABLE', 3],
  ] as const)('%i %s as %s after %i attempts', async ([status, name, code, attempts]) => {
    answer = onPut(answerError(status, name))
    const store = await open()
    await expect(store.put('a/b', streamOf(randomFile(1000).bytes), pdf)).rejects.toMatchObject({ code })
    expect(requests.filter((method) => method === 'PUT')).toHaveLength(attempts)
  })
})

test.for(['head', 'put', 'delete', 'list', 'read'] as const)(
  'a request to %s that is not answered in time is not repeated, because its caller waits',
  async (name) => {
    answer = () => {}
    const store = await open()
    const calls = {
      head: () => store.head('a/b'),
      put: () => store.put('a/b', streamOf(randomFile(1000).bytes), pdf),
      delete: () => store.delete('a/b'),
      list: () => store.list('a/')[Symbol.asyncIterator]().next(),
      read: () => readBytes(store.read('a/b')),
    }
    await expect(calls[name]()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(requests).toHaveLength(1)
  },
)

const answerConditionalPut = (first: 'stored, answer lost' | 'taken by another') => {
  const state = { sha256: first === 'taken by another' ? 'of another file' : '', puts: 0 }
  answer = (incoming, outgoing) => {
    if (incoming.method === 'HEAD') {
      if (state.puts === 0) return answerError(404, 'NotFound')(incoming, outgoing)
      return void outgoing.writeHead(200, { 'x-amz-meta-sha256': state.sha256, 'content-length': '1000' }).end()
    }
    expect(incoming.headers['if-none-match']).toBe('*')
    state.puts += 1
    if (state.puts > 1) return answerError(412, 'PreconditionFailed')(incoming, outgoing)
    if (first === 'stored, answer lost') state.sha256 = String(incoming.headers['x-amz-meta-sha256'])
    incoming.socket.resetAndDestroy()
  }
}

describe('a store that supports If-None-Match', () => {
  test('keeps a file whose response was lost', async () => {
    answerConditionalPut('stored, answer lost')
    const { bytes, sha256 } = randomFile(1000)
    expect(await (await open()).put('a/b', streamOf(bytes), pdf)).toEqual({ bytes: 1000, sha256 })
  })

  test('does not mistake the file of another writer for its own', async () => {
    answerConditionalPut('taken by another')
    await expect((await open()).put('a/b', streamOf(randomFile(1000).bytes), pdf)).rejects.toMatchObject({
      code: 'EXISTS',
    })
  })
})

test.for([
  ['with 501', 501, ['*', undefined]],
  ['by closing the connection', null, ['*', undefined]],
] as const)('a store that refuses the condition %s is asked without it', async ([, status, conditions]) => {
  const seen: (string | undefined)[] = []
  answer = onPut((incoming, outgoing) => {
    const condition = incoming.headers['if-none-match']
    seen.push(condition)
    if (!condition) outgoing.writeHead(200).end()
    else if (status) answerError(status, 'NotImplemented')(incoming, outgoing)
    else incoming.socket.resetAndDestroy()
  })
  const { bytes, sha256 } = randomFile(3_000_000)
  expect(await (await open()).put('a/b', streamOf(bytes), pdf)).toEqual({ bytes: 3_000_000, sha256 })
  expect(seen).toEqual(conditions)
})

describe('an S3 store that', () => {
  test.for([
    ['refuses connections', 'http://127.0.0.1:1', () => {}],
    ['accepts connections and never responds', null, () => {}],
    ['closes connections', null, (incoming) => void incoming.socket.destroy()],
    ['responds with the page of a gateway', null, (_, outgoing) => void outgoing.writeHead(502).end('<html>')],
    // A deletion succeeds, because the file does not exist.
    ['has no such bucket', null, answerError(404, 'NoSuchBucket')],
    ['rejects the credentials', null, answerError(403, 'InvalidAccessKeyId')],
  ] as [string, string | null, Answer][])('%s is UNAVAILABLE', async ([reason, other, then]) => {
    answer = then
    const store = await open(other ? { endpoint: other } : {})
    await expect(store.assertReady()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await expect(readBytes(store.read('a/b'))).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    const deleted = expect(store.delete('a/b'))
    if (reason === 'has no such bucket') await deleted.resolves.toBeUndefined()
    else await deleted.rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })
})

test.for(['read', 'peek'] as const)('an abandoned %s closes its connection', async (method) => {
  const closed = new Promise((resolve) => {
    answer = (_, outgoing) => {
      outgoing.on('close', resolve)
      outgoing.writeHead(200, { 'content-length': 100 }).write('begin')
    }
  })
  const store = await open()
  await expect(method === 'read' ? readBytes(store.read('a/b')) : store.peek('a/b', 50)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  })
  await closed
})

/** The temporary files of the store that this process has open. */
async function openFiles(): Promise<string[]> {
  const handles = await readdir('/proc/self/fd')
  const paths = await Promise.all(handles.map((handle) => readlink(`/proc/self/fd/${handle}`).catch(() => '')))
  return paths.filter((path) => path.startsWith(tempDirectory))
}

test.skipIf(process.platform !== 'linux')('a stalled upload closes its file (counted on Linux)', async () => {
  answer = onPut((incoming) => void incoming.pause())
  const store = await open()
  await expect(store.put('a/b', streamOf(randomFile(9_000_000).bytes), pdf)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  })
  await expect.poll(openFiles).toEqual([])
})

test('a move copies only the object that it has checked, and deletes nothing if that has changed', async () => {
  answer = (incoming, outgoing) => {
    if (incoming.method === 'HEAD' && incoming.url?.endsWith('/from')) {
      return void outgoing.writeHead(200, { etag: '"seen"', 'content-length': 5 }).end()
    }
    const changed = incoming.headers['x-amz-copy-source-if-match'] === '"seen"'
    answerError(incoming.method === 'HEAD' ? 404 : changed ? 412 : 500, 'PreconditionFailed')(incoming, outgoing)
  }
  await expect((await open()).move('a/from', 'a/to')).rejects.toThrow('412')
  expect(requests).toEqual(['HEAD', 'HEAD', 'PUT'])
})

test("no error contains a credential, whatever the store's response quotes", async () => {
  answer = (incoming, outgoing) => {
    const quoted = `${incoming.headers.authorization} ${canaries.accessKey} ${canaries.secretKey}`
    answerError(403, 'SignatureDoesNotMatch', quoted)(incoming, outgoing)
  }
  const store = await open()
  const errors = await Promise.all(
    [
      () => store.assertReady(),
      () => store.head('a/b'),
      () => store.peek('a/b', 4),
      () => readBytes(store.read('a/b')),
      () => store.delete('a/b'),
      () => store.move('a/b', 'c/d'),
    ].map((call) => call().catch((error: unknown) => error)),
  )
  for (const error of errors) {
    expect(error).toMatchObject({ code: 'UNAVAILABLE' })
    expect(inspect(error, { depth: 20, showHidden: true })).not.toMatch(/canary|signature=/i)
  }
})

describe('a signed upload URL', () => {
  const upload = { key: 'incoming/a.pdf', contentType: 'application/pdf', size: 1234 }

  test('binds type, length and host until it expires', async () => {
    const store = await open()
    const { url } = await store.createUploadUrl({ ...upload, expiresAt: new Date(Date.now() + 900_000) })
    const address = new URL(url)
    expect(`${address.origin}${address.pathname}`).toBe(`${endpoint}/books/incoming/a.pdf`)
    expect(address.searchParams.get('X-Amz-SignedHeaders')).toBe('content-length;content-type;host')
    expect(['899', '900']).toContain(address.searchParams.get('X-Amz-Expires'))
    expect([...address.searchParams.keys()].filter((name) => name.includes('checksum'))).toEqual([])
    expect(url).not.toContain(canaries.secretKey)
  })

  test('uses the public endpoint if there is one', async () => {
    const store = await open({ publicEndpoint: 'https://files.example' })
    const { url } = await store.createUploadUrl({ ...upload, expiresAt: new Date(Date.now() + 900_000) })
    expect(url).toMatch(/^https:\/\/files\.example\/books\/incoming\/a\.pdf\?/)
  })
})

test.for([3_600_000, -3_600_000])('works on a machine whose clock is wrong by %i ms', async (ms) => {
  const realNow = () => performance.timeOrigin + performance.now()
  answer = (incoming, outgoing) => {
    const isFresh = Math.abs(timeOfSignature(incoming.headers['x-amz-date']) - realNow()) < 15 * 60_000
    outgoing.writeHead(isFresh ? 200 : 403, { date: new Date(realNow()).toUTCString() }).end()
  }
  vi.useFakeTimers({ toFake: ['Date'], now: realNow() + ms })
  onTestFinished(() => void vi.useRealTimers())
  const store = await open()
  await store.assertReady()
  expect(requests).toEqual(['HEAD', 'HEAD'])
  const expiresAt = new Date(realNow() + 900_000)
  const { url } = await store.createUploadUrl({ key: 'a/b', contentType: pdf.contentType, size: 10, expiresAt })
  const signed = new URL(url).searchParams
  expect(Math.abs(timeOfSignature(signed.get('X-Amz-Date')) - realNow())).toBeLessThan(60_000)
  expect(Math.abs(Number(signed.get('X-Amz-Expires')) - 900)).toBeLessThan(60)
})

/** The time in the form `20261128T183000Z`, ms. */
function timeOfSignature(text: unknown): number {
  return Date.parse(String(text).replace(/^(....)(..)(..)T(..)(..)/, '$1-$2-$3T$4:$5:'))
}
