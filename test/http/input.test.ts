import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { send } from '../support/transports.ts'
import { makeBook } from '../support/make-book.ts'
import { sendBytes, sendChunks } from '../support/raw-http.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let person: Person

beforeAll(async () => {
  person = await server.createPerson()
})

async function postBytes(body: Uint8Array, headers: Record<string, string> = {}, path = '/api/v1/items/batch') {
  const response = await fetch(`${server.baseUrl}${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${person.key}`, 'Content-Type': 'application/json', ...headers },
    body: body as Uint8Array<ArrayBuffer>,
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const text = (value: string) => new TextEncoder().encode(value)

describe('a body that is not a JSON object is refused', () => {
  test.for<[string, Uint8Array, RegExp]>([
    ['words', text('not json'), /not valid JSON/],
    ['half an object', text('{"items":['), /not valid JSON/],
    ['two objects', text('{}{}'), /not valid JSON/],
    ['single quotes', text("{'items':[]}"), /not valid JSON/],
    ['a trailing comma', text('{"items":[],}'), /not valid JSON/],
    ['NaN', text('{"items":NaN}'), /not valid JSON/],
    ['a raw line end in a string', text('{"ids":["a\nb"]}'), /not valid JSON/],
    ['a list', text('[]'), /expected an object/],
    ['a string', text('"items"'), /expected an object/],
    ['a number', text('5'), /expected an object/],
    ['null', text('null'), /expected an object/],
    ['true', text('true'), /expected an object/],
    ['a list nested 100,000 deep', text('['.repeat(100_000) + ']'.repeat(100_000)), /expected an object/],
    ['truncated UTF-8', Uint8Array.of(0x7b, 0x22, 0xe6, 0x9c, 0x22, 0x7d), /not valid UTF-8/],
    ['Latin-1', Uint8Array.of(0x7b, 0x22, 0xe9, 0x22, 0x3a, 0x31, 0x7d), /not valid UTF-8/],
    ['an encoded surrogate', Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22), /not valid UTF-8/],
    ['an overlong form', Uint8Array.of(0x22, 0xc0, 0xaf, 0x22), /not valid UTF-8/],
    ['UTF-16', new Uint8Array(Buffer.from('{"ids":[]}', 'utf16le')), /not valid/],
  ])('%s', async ([, body, says]) => {
    const answer = await postBytes(body)
    expect(answer.status).toBe(400)
    expect(answer.body['error']).toMatch(/^Invalid JSON body/)
    expect(answer.body['error']).toMatch(says)
    // The contract gives the batch's 400 no code.
    expect(Object.keys(answer.body).sort()).toEqual(['error', 'requestId'])
  })

  test('an empty body is an empty object', async () => {
    expect((await postBytes(new Uint8Array())).body['error']).toMatch(/neither was supplied/)
  })

  test('names of inherited object properties are ordinary data', async () => {
    const body = '{"title":"T","__proto__":{"description":"x"},"constructor":{"prototype":{"description":"y"}}}'
    const answer = await postBytes(text(body), {}, '/api/v1/items/markdown')
    expect(answer).toMatchObject({ status: 201, body: { description: null } })
    expect(({} as Record<string, unknown>)['description']).toBeUndefined()
  })

  test('deeply nested values in a field are refused', async () => {
    const deep = '['.repeat(50_000) + ']'.repeat(50_000)
    expect((await postBytes(text(`{"items":${deep}}`))).status).toBe(400)
    expect((await postBytes(text(`{"title":${deep}}`), {}, '/api/v1/items/markdown')).status).toBe(400)
  })

  test('the content type of a JSON body is ignored', async () => {
    const answer = await postBytes(text('{"ids":["nope"]}'), { 'Content-Type': 'text/plain' })
    expect(answer).toMatchObject({ status: 200, body: { notFound: ['nope'] } })
  })
})

describe('text', () => {
  test.for([
    ['title', { title: 'a\\ud800' }],
    ['title', { title: '\\udfff' }],
    ['description', { title: 'T', description: '\\udc00\\ud800' }],
    ['content', { title: 'T', content: 'x\\ud83d' }],
  ])('a lone surrogate written as an escape is refused: %s of %j', async ([field, value]) => {
    const body = JSON.stringify(value).replaceAll('\\\\u', '\\u')
    const answer = await postBytes(text(body), {}, '/api/v1/items/markdown')
    expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT', field } })
    expect(answer.body['error']).toContain('surrogate')
  })

  test('every other character of a text survives a round trip; a title loses those that hide, and is one line', async () => {
    const given = 'a\u0000b\u202ec\u{e0041}é e\u0301 \uFEFF\ufffe😀\r\n\t\u2028'
    const title = 'T abcé e\u0301 \ufffe😀 T'
    const made = await send(server, person.key, {
      method: 'POST',
      path: '/api/v1/items/markdown',
      body: { title: `T ${given} T`, description: given, content: given },
    })
    expect(made.body).toMatchObject({ title, description: given })
    const { body } = await send(server, person.key, { method: 'GET', path: `/api/v1/items/${made.body.id}/content` })
    expect(body).toMatchObject({ title, description: given, content: given })
  })

  test('impossible ids are not found, in any encoding', async () => {
    const ids = ['\u0000', '\ud800', '../..', '$where', '{"$gt":""}', 'a'.repeat(10_000), '%00', 'ＩＤ']
    const { body, status } = await send(server, person.key, {
      method: 'POST',
      path: '/api/v1/items/batch',
      body: { ids },
    })
    expect(status).toBe(200)
    expect(body.notFound).toHaveLength(ids.length)
  })

  test.for(['%00', '%2e%2e', '%2F', '%zz', '%ff', '$ne', '%7B%7D'])('a path value %s is not found', async (id) => {
    const { status, body } = await send(server, person.key, { method: 'GET', path: `/api/v1/items/${id}/content` })
    expect(status).toBe(404)
    expect(body.requestId).toMatch(/./)
  })

  test('a path value takes precedence over a body field of the same name', async () => {
    const own = await makeBook(server, person, { content: 'text' })
    const { body } = await send(server, person.key, { method: 'GET', path: `/api/v1/items/${own}/content?id=other` })
    expect(body.id).toBe(own)
  })
})

const padded = (bytes: number) => text('{"ids":["nope"]}'.padEnd(bytes, ' '))

describe('size', () => {
  const limit = 1024 * 1024

  test('a body of exactly the limit passes, one byte more is refused', async () => {
    expect((await postBytes(padded(limit))).status).toBe(200)
    const answer = await postBytes(padded(limit + 1))
    expect(answer).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE', error: /1048576 bytes/ } })
  })

  test('a declared length over the limit is refused before the body is read', async () => {
    const head = [
      'POST /api/v1/items/batch HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${person.key}`,
      'Content-Type: application/json',
      'Content-Length: 999999999999',
      '',
      '{"ids":',
    ].join('\r\n')
    expect(await sendBytes(server, head)).toMatch(/^HTTP\/1\.1 413 /)
  })

  test('a body of unknown length is cut off at the limit', async () => {
    const piece = Buffer.alloc(64 * 1024, ' ')
    const answer = await sendChunks(server, person.key, { path: '/api/v1/items/batch', piece, pieces: 2000 })
    expect(answer.status).toBe(413)
    expect(answer.sent).toBeLessThan(32 * limit)
  })

  test('a body of unknown length within the limit is read', async () => {
    const piece = Buffer.from('{"ids":["nope"]}')
    const answer = await sendChunks(server, person.key, { path: '/api/v1/items/batch', piece, pieces: 1 })
    expect(answer.status).toBe(200)
  })

  test.for(['gzip', 'br', 'deflate', 'zstd', 'gzip, gzip'])('a body encoded as %s is refused', async (encoding) => {
    const body = gzipSync(JSON.stringify({ ids: ['nope'] }))
    const answer = await postBytes(body, { 'Content-Encoding': encoding })
    expect(answer).toMatchObject({ status: 415, body: { code: 'UNSUPPORTED_MEDIA_TYPE' } })
  })

  test('the encoding identity is accepted', async () => {
    const answer = await postBytes(text('{"ids":["nope"]}'), { 'Content-Encoding': 'identity' })
    expect(answer.status).toBe(200)
  })
})
