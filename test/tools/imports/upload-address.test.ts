import { request } from 'node:http'
import { beforeAll, describe, expect, test } from 'vitest'
import { signUploadToken } from '../../../src/files/upload-token.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import {
  callOverRest,
  confirmUpload,
  waitForJobEnd,
  findListedItem,
  putFile,
  reserveUpload,
  sha256,
} from '../../support/uploads.ts'

const server = useTestServer()
let person: Person

beforeAll(async () => {
  person = await server.createPerson()
})

const bytes = Buffer.from('# One\n\nwhales\n')
const file = { filename: 'book.md', bytes }
const headers = { 'Content-Type': 'text/markdown' }

/** The stored bytes of a key, or null. */
async function stored(key: string): Promise<string | null> {
  const { files } = server.running.opened.services
  if ((await files.head(key)) === null) return null
  const parts: Uint8Array[] = []
  for await (const part of files.read(key)) parts.push(part)
  return Buffer.concat(parts).toString()
}

describe('an upload URL', () => {
  test('receives the file without a key and returns what it stored', async () => {
    const { uploadUrl, storageKey } = await reserveUpload(server, person, file)
    expect(await putFile(uploadUrl, bytes)).toEqual({
      status: 200,
      body: { bytes: bytes.length, sha256: sha256(bytes) },
    })
    expect(await stored(storageKey)).toBe(bytes.toString())
  })

  test('accepts the declared type with parameters and in capitals', async () => {
    const { uploadUrl } = await reserveUpload(server, person, file)
    expect((await putFile(uploadUrl, bytes, { 'Content-Type': 'Text/Markdown; charset=utf-8' })).status).toBe(200)
  })

  test('receives one file once', async () => {
    const { uploadUrl, storageKey } = await reserveUpload(server, person, file)
    expect((await putFile(uploadUrl, bytes)).status).toBe(200)
    const again = await putFile(uploadUrl, Buffer.from('# Two\n\nsharks\n'))
    expect(again).toMatchObject({ status: 409, body: { error: /was already used/ } })
    expect(await stored(storageKey)).toBe(bytes.toString())
  })

  test('receives one of several parallel files', async () => {
    const { uploadUrl, storageKey } = await reserveUpload(server, person, file)
    const texts = Array.from({ length: 6 }, (_, n) => `# ${n}\n\nwhales\n`)
    const answers = await Promise.all(texts.map((text) => putFile(uploadUrl, Buffer.from(text))))
    const winners = texts.filter((_, n) => answers[n]?.status === 200)
    expect(winners).toHaveLength(1)
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409])
    expect(await stored(storageKey)).toBe(winners[0])
  })

  test('receives nothing after the book is confirmed', async () => {
    const upload = await reserveUpload(server, person, file)
    await putFile(upload.uploadUrl, bytes)
    const { body } = await confirmUpload(server, person, upload)
    expect((await putFile(upload.uploadUrl, bytes)).status).toBe(409)
    expect(await waitForJobEnd(server, person, body.job.id)).toMatchObject({ status: 'SUCCEEDED' })
    expect((await putFile(upload.uploadUrl, bytes)).status).toBe(409)
    expect(await stored(upload.storageKey)).toBeNull()
  })

  test.for<[string, number, Uint8Array, Record<string, string>, RegExp]>([
    ['another type', 415, bytes, { 'Content-Type': 'application/pdf' }, /Content-Type: text\/markdown/],
    ['a similar type', 415, bytes, { 'Content-Type': 'text/markdownx' }, /Content-Type: text\/markdown/],
    [
      'a byte more than declared',
      413,
      Buffer.concat([bytes, Buffer.from('x')]),
      headers,
      /larger than the declared 14 bytes/,
    ],
  ])('refuses %s, stores nothing, and takes the right file after it', async ([, status, body, sent, says]) => {
    const { uploadUrl, storageKey } = await reserveUpload(server, person, file)
    const answer = await putFile(uploadUrl, body, sent)
    expect(answer.status).toBe(status)
    expect(answer.body['error']).toMatch(says)
    expect(answer.body['requestId']).toMatch(/^[a-z0-9]{26}$/)
    expect(await stored(storageKey)).toBeNull()
    expect((await putFile(uploadUrl, bytes)).status).toBe(200)
  })

  test('refuses a chunked body once it is too long', async () => {
    const { uploadUrl, storageKey } = await reserveUpload(server, person, file)
    const body = ReadableStream.from([bytes, bytes])
    const answer = await fetch(uploadUrl, { method: 'PUT', headers, body, duplex: 'half' })
    expect(answer.status).toBe(413)
    expect(await stored(storageKey)).toBeNull()
  })

  test('stores nothing of an interrupted body, and receives the whole one afterwards', async () => {
    const { uploadUrl, storageKey } = await reserveUpload(server, person, file)
    await new Promise<void>((resolve) => {
      const sending = request(uploadUrl, { method: 'PUT', headers: { ...headers, 'Content-Length': bytes.length } })
      sending.on('error', () => resolve())
      sending.write(bytes.subarray(0, 5), () => setTimeout(() => sending.destroy(), 50))
    })
    expect(await stored(storageKey)).toBeNull()
    expect((await putFile(uploadUrl, bytes)).status).toBe(200)
    expect(await stored(storageKey)).toBe(bytes.toString())
  })

  test('refuses a token that was changed anywhere', async () => {
    const { uploadUrl, storageKey } = await reserveUpload(server, person, file)
    const [payload = '', signature = ''] = (uploadUrl.split('/').at(-1) ?? '').split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as unknown[]
    const forge = (change: (claims: unknown[]) => unknown) =>
      `${Buffer.from(JSON.stringify(change([...claims]))).toString('base64url')}.${signature}`
    const tokens = [
      forge(([, ...rest]) => ['originals/x/y.md', ...rest]),
      forge(([key, type, , expires]) => [key, type, 1_000_000_000, expires]),
      forge(([key, type, size]) => [key, type, size, 9e15]),
      `${payload}.${signature.slice(0, -2)}AA`,
      payload,
      `${payload}.`,
      `.${signature}`,
      `${payload}.${signature}.${signature}`,
      'x',
      'a'.repeat(5000),
    ]
    for (const token of tokens) {
      const answer = await putFile(`${server.baseUrl}/api/v1/upload/blob/${token}`, bytes)
      expect(answer).toMatchObject({ status: 403, body: { error: /not valid/ } })
    }
    expect(await stored(storageKey)).toBeNull()
  })

  test('refuses a token signed with another secret', async () => {
    const { storageKey } = await reserveUpload(server, person, file)
    const expiresAt = new Date(Date.now() + 60_000)
    const claims = { key: storageKey, contentType: 'text/markdown', size: bytes.length, expiresAt }
    const token = signUploadToken('another secret, as long as it should be', claims)
    const answer = await putFile(`${server.baseUrl}/api/v1/upload/blob/${token}`, bytes)
    expect(answer).toMatchObject({ status: 403, body: { error: /not valid/ } })
  })

  test('refuses an expired URL', async () => {
    const { storageKey } = await reserveUpload(server, person, file)
    const claims = { key: storageKey, contentType: 'text/markdown', size: bytes.length, expiresAt: new Date() }
    const token = signUploadToken(server.running.opened.secret, claims)
    const answer = await putFile(`${server.baseUrl}/api/v1/upload/blob/${token}`, bytes)
    expect(answer).toMatchObject({ status: 403, body: { error: /expired\. Start the upload again/ } })
    expect(await stored(storageKey)).toBeNull()
  })

  test('does not work after the book is deleted', async () => {
    const { uploadUrl, itemId, storageKey } = await reserveUpload(server, person, file)
    await callOverRest(server, person, 'delete_items', { ids: [itemId] })
    expect((await putFile(uploadUrl, bytes)).status).toBe(409)
    expect(await stored(storageKey)).toBeNull()
    expect(await findListedItem(server, person, itemId)).toBeUndefined()
  })

  test.for(['GET', 'POST', 'DELETE'])('answers %s with 405 and the method that it has', async (method) => {
    const { uploadUrl } = await reserveUpload(server, person, file)
    const answer = await fetch(uploadUrl, { method })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'PUT'])
  })
})
