import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openDiskStore } from '../../src/files/disk-store.ts'
import { receiveUpload, type UploadRequest } from '../../src/files/receive-upload.ts'
import type { FileStore } from '../../src/files/store.ts'
import { signUploadToken } from '../../src/files/upload-token.ts'
import { toArray, readBytes, randomFile, streamOf } from './bytes.ts'
import { openReceiver, secret } from './open-stores.ts'

const file = randomFile(100_000)
const now = new Date()
let directory: string
let store: FileStore
let key: string
let token: string
let count = 0

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lectern-receive-'))
  store = await openDiskStore({ directory, baseUrl: 'http://localhost', secret })
})
afterAll(() => rm(directory, { recursive: true }))
beforeEach(() => {
  key = `incoming/${count++}`
  token = makeToken({})
})

const makeToken = (changes: { expiresAt?: Date; contentType?: string }) =>
  signUploadToken(secret, {
    key,
    contentType: 'application/pdf',
    size: 100_000,
    expiresAt: new Date(now.getTime() + 60_000),
    ...changes,
  })
const receive = (changes: Partial<UploadRequest>, isUsed = false) =>
  receiveUpload(
    store,
    { token, contentType: 'application/pdf', contentLength: 100_000, body: streamOf(file.bytes), ...changes },
    { secret, now, isUsed: async () => isUsed, stallTimeoutMs: 100 },
  )
const nothingIsThere = async () => {
  expect(await store.head(key)).toBeNull()
  expect(await readdir(join(directory, '.tmp'))).toEqual([])
}

describe('an upload is stored', () => {
  test.for([
    ['with its length declared', {}],
    ['without a length (chunked)', { contentLength: null }],
    ['with parameters after its type', { contentType: 'Application/PDF; charset=binary' }],
  ] as [string, Partial<UploadRequest>][])('%s', async ([, changes]) => {
    expect(await receive(changes)).toEqual({ bytes: 100_000, sha256: file.sha256 })
    expect((await readBytes(store.read(key))).equals(file.bytes)).toBe(true)
  })

  test('when it is shorter than the reservation, because the caller compares the sizes', async () => {
    expect(await receive({ contentLength: 7, body: streamOf(file.bytes.subarray(0, 7)) })).toMatchObject({ bytes: 7 })
  })
})

describe('an upload is refused before its body is read', () => {
  const late = new Date(now.getTime() - 1)
  const cases: [string, () => Partial<UploadRequest>, boolean, string][] = [
    ['with an invalid token', () => ({ token: 'x.y' }), false, 'TOKEN_INVALID'],
    ['with an expired token', () => ({ token: makeToken({ expiresAt: late }) }), false, 'TOKEN_EXPIRED'],
    ['with another type', () => ({ contentType: 'text/html' }), false, 'TYPE_MISMATCH'],
    ['with a type that only starts the same', () => ({ contentType: 'application/pdfx' }), false, 'TYPE_MISMATCH'],
    ['without a type', () => ({ contentType: null }), false, 'TYPE_MISMATCH'],
    ['with a length over the reservation', () => ({ contentLength: 100_001 }), false, 'TOO_LARGE'],
    ['when the caller says that it was used', () => ({}), true, 'ALREADY_USED'],
    // If several checks fail, the first in this order is reported.
    [
      'expired and of another type',
      () => ({ token: makeToken({ expiresAt: late }), contentType: null }),
      true,
      'TOKEN_EXPIRED',
    ],
    ['of another type and too long', () => ({ contentType: null, contentLength: 1e9 }), true, 'TYPE_MISMATCH'],
    ['too long and used', () => ({ contentLength: 1e9 }), true, 'TOO_LARGE'],
  ]
  test.for(cases)('%s', async ([, changes, isUsed, code]) => {
    let read = false
    const body = async function* () {
      read = true
      yield file.bytes
    }
    await expect(receive({ ...changes(), body: body() }, isUsed)).rejects.toMatchObject({ name: 'UploadError', code })
    expect(read).toBe(false)
    await nothingIsThere()
  })

  test('the second time, and the first file stays', async () => {
    await receive({})
    await expect(receive({ body: streamOf(randomFile(100_000).bytes) })).rejects.toMatchObject({ code: 'ALREADY_USED' })
    expect((await readBytes(store.read(key))).equals(file.bytes)).toBe(true)
  })
})

describe('an upload is refused and stores nothing', () => {
  const never = async function* () {
    yield file.bytes.subarray(0, 10)
    await new Promise(() => {})
  }
  test.for([
    ['when it is shorter than its Content-Length', { body: streamOf(file.bytes.subarray(1)) }, 'LENGTH_MISMATCH'],
    ['when it is longer than its Content-Length', { contentLength: 99_999 }, 'LENGTH_MISMATCH'],
    ['when it is empty although a length was declared', { body: streamOf(new Uint8Array()) }, 'LENGTH_MISMATCH'],
    [
      'when it is longer than reserved',
      { contentLength: null, body: streamOf(randomFile(100_001).bytes) },
      'TOO_LARGE',
    ],
    ['when its connection breaks', { body: streamOf(file.bytes, new Error('gone')) }, 'INTERRUPTED'],
    ['when it stalls', { body: never() }, 'INTERRUPTED'],
    ['when its request is aborted', { body: never(), signal: AbortSignal.timeout(20) }, 'INTERRUPTED'],
  ] as [string, Partial<UploadRequest>, string][])('%s', async ([, changes, code]) => {
    await expect(receive(changes)).rejects.toMatchObject({ name: 'UploadError', code })
    await nothingIsThere()
  })
})

test('of two parallel uploads to one URL one is stored', async () => {
  const results = await Promise.allSettled([receive({}), receive({}), receive({})])
  expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1)
  expect(results.find((result) => result.status === 'rejected')?.reason).toMatchObject({ code: 'ALREADY_USED' })
  expect((await readBytes(store.read(key))).equals(file.bytes)).toBe(true)
})

test('an upload URL can be used again after an interrupted attempt', async () => {
  await expect(receive({ body: streamOf(file.bytes, new Error('gone')) })).rejects.toMatchObject({
    code: 'INTERRUPTED',
  })
  expect(await receive({})).toEqual({ bytes: 100_000, sha256: file.sha256 })
})

test('a client that disconnects during an upload on a real connection leaves nothing', async () => {
  const receiver = await openReceiver(() => store)
  const socket = connect(Number(new URL(receiver.url).port), '127.0.0.1')
  socket.write(
    `PUT /api/v1/upload/blob/${token} HTTP/1.1\r\nHost: x\r\nContent-Type: application/pdf\r\nContent-Length: 100000\r\n\r\n`,
  )
  socket.write(file.bytes.subarray(0, 50_000))
  await expect.poll(() => readdir(join(directory, '.tmp'))).toHaveLength(1)
  socket.destroy()
  await once(socket, 'close')
  await expect.poll(() => receiver.refusals).toEqual(['INTERRUPTED'])
  await nothingIsThere()
  await receiver.close()
  expect((await toArray(store.list(key))).length).toBe(0)
})
