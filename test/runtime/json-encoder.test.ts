import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  ChunkedText,
  encodeJson,
  encodeText,
  attachEncodedContent,
  encodedContentOf,
  type EncodedText,
} from '../../src/runtime/json-encoder.ts'
import { anyText } from '../support/any-text.ts'

const encoded = (content: string): EncodedText => ({ content, json: encodeText(content) })

const long = fc.array(anyText(), { minLength: 30, maxLength: 40 }).map((parts) => parts.join('–"\n\ud800'))
const text = fc.oneof(anyText(), fc.string(), long, fc.constant('x'.repeat(256)))
// Texts are well-formed, like all stored texts: `JSON.stringify` escapes a surrogate pair that is divided between two
// pieces as two characters.
const wellFormed = text.map((content) => content.toWellFormed())
const chunked = fc
  .array(fc.oneof(wellFormed, wellFormed.map(encoded)), { maxLength: 5 })
  .map((chunks) => new ChunkedText(chunks))
const kept = fc
  .record({ before: text, content: text, after: fc.oneof(fc.constantFrom('x', null, undefined, 7), chunked) })
  .map((value) => attachEncodedContent(value, encoded(value.content)))
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.integer(),
    fc.boolean(),
    fc.constantFrom(null, undefined, new Date(0)),
    chunked,
    kept,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 5 }),
  ),
}))

/** Returns the same value without objects that cache their JSON. */
function plain(body: unknown): unknown {
  if (body instanceof ChunkedText) return body.toString()
  if (typeof body !== 'object' || body === null || body instanceof Date) return body
  if (Array.isArray(body)) return body.map(plain)
  return Object.fromEntries(Object.entries(body).map(([name, entry]) => [name, plain(entry)]))
}

test('yields the characters of JSON.stringify for any value, however often it is sent', () => {
  fc.assert(
    fc.property(fc.record({ value, again: fc.array(kept) }), ({ value: first, again }) => {
      const body = { first, again, last: [first, again[0], { inside: again.at(-1) }] }
      const expected = JSON.stringify(plain(body))
      expect(JSON.stringify(body)).toBe(expected)
      for (let time = 0; time < 2; time++) expect(Buffer.from(encodeJson(body)).toString()).toBe(expected)
    }),
    { numRuns: 500 },
  )
})

test('copies JSON that is already encoded, and returns a string for a value without any', () => {
  expect(encodeJson({ content: 'plain' })).toBe('{"content":"plain"}')
  const source = { content: 'kept', json: Buffer.from('KEPT') }
  const page = attachEncodedContent({ id: 1, content: 'kept' }, source)
  expect(Buffer.from(encodeJson([page, page])).toString()).toBe('[{"id":1,"content":"KEPT"},{"id":1,"content":"KEPT"}]')
  expect(Buffer.from(encodeJson({ text: new ChunkedText(['<', source, '>']) })).toString()).toBe('{"text":"<KEPT>"}')
  expect(JSON.stringify(page)).toBe('{"id":1,"content":"kept"}')
})

test('a copy has no encoded content', () => {
  const source = encoded('kept')
  const page = attachEncodedContent({ id: 1, content: 'kept' }, source)
  expect(encodedContentOf(page)).toBe(source)
  const copy = { ...page, content: 'cut' }
  expect(encodedContentOf(copy)).toBeUndefined()
  expect(encodeJson(copy)).toBe('{"id":1,"content":"cut"}')
  expect(structuredClone(page)).toEqual({ id: 1, content: 'kept' })
})

test('a value that cannot be encoded leaves nothing behind', () => {
  const circular: Record<string, unknown> = { page: attachEncodedContent({ content: 'shared' }, encoded('shared')) }
  circular['self'] = circular
  expect(() => encodeJson(circular)).toThrow(TypeError)
  expect(JSON.stringify({ page: circular['page'] })).toBe('{"page":{"content":"shared"}}')
})

test('an encoded text keeps no more memory than its bytes', async () => {
  const worker = new Worker(new URL('./measure-json-memory.ts', import.meta.url))
  const [held] = await once(worker, 'message')
  expect(held).toBeGreaterThan(3_000_000)
  expect(held).toBeLessThan(5_000_000)
})
