import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeJson, ChunkedText, cacheJson } from '../../src/runtime/json-encoder.ts'

const long = fc
  .array(fc.string({ unit: 'binary' }), { minLength: 30, maxLength: 40 })
  .map((parts) => parts.join('–"\n\ud800'))
const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), long, fc.constant('x'.repeat(256)))
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.integer(),
    fc.boolean(),
    fc.constantFrom(null, undefined, new Date(0)),
    fc.array(text, { maxLength: 5 }).map((pieces) => new ChunkedText(pieces)),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 5 }),
  ),
}))

test('gives the characters of JSON.stringify, whatever is in the value and however often it was sent', () => {
  fc.assert(
    fc.property(fc.record({ value }), (body) => {
      const expected = JSON.stringify(body)
      for (let time = 0; time < 2; time++) expect(Buffer.from(encodeJson(body)).toString()).toBe(expected)
    }),
    { numRuns: 500 },
  )
})

test('what has no long text comes as a string, everything else as bytes', () => {
  expect(encodeJson({ text: 'short' })).toBe('{"text":"short"}')
  expect(encodeJson({ text: 'long'.repeat(100) })).toBeInstanceOf(Uint8Array)
})

test('what is kept of an object is what it is, alone or among others, however often it is sent', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ value }), { minLength: 1, maxLength: 4 }), value, (objects, beside) => {
      for (const object of objects) cacheJson(object)
      const body = { first: objects[0], beside, all: objects, again: [objects[0], { inside: objects.at(-1) }] }
      const expected = JSON.stringify(body)
      for (let time = 0; time < 2; time++) expect(Buffer.from(encodeJson(body)).toString()).toBe(expected)
      expect(Buffer.from(encodeJson(objects[0])).toString()).toBe(JSON.stringify(objects[0]))
    }),
    { numRuns: 300 },
  )
})

test('what is remembered of texts takes the room of the texts', async () => {
  const worker = new Worker(new URL('./measure-json-memory.ts', import.meta.url))
  const [held] = await once(worker, 'message')
  expect(held).toBeGreaterThan(0)
  expect(held).toBeLessThan(5_000_000)
})
