import { performance } from 'node:perf_hooks'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createCircuit } from '../../src/embeddings/circuit.ts'
import { createEmbedder, type Embedder } from '../../src/embeddings/embedder.ts'
import { embedTexts } from '../../src/embeddings/embed-texts.ts'
import { readEmbeddingSettings } from '../../src/embeddings/settings.ts'
import { startEmbeddingServer, type EmbeddingServer } from '../support/embedding-server.ts'

let service: EmbeddingServer
beforeAll(async () => {
  service = await startEmbeddingServer()
})
afterAll(() => service.close())
beforeEach(() => {
  service.mode = {}
  service.requests.length = 0
})

const { signal } = new AbortController()
const times = { queryWaitMs: 150, retryMs: 5, pagesMs: 2000 }

function open(key: string | undefined = 'sk-secret'): Embedder {
  return createEmbedder({ endpoint: `${service.url}/embeddings`, model: 'small', key }, times)
}

describe('pages', () => {
  test('are sent with model and key, and their vectors are returned in order', async () => {
    const vectors = await open().embedPages(['car', 'bread'], signal)
    expect(service.requests).toEqual([{ texts: ['car', 'bread'], model: 'small', authorization: 'Bearer sk-secret' }])
    expect(vectors.map(({ values }) => values.indexOf(127))).toEqual([0, 4])
  })

  test('are sent without a key if there is none', async () => {
    await createEmbedder({ endpoint: `${service.url}/embeddings`, model: 'small', key: undefined }, times).embedPages(
      ['car'],
      signal,
    )
    expect(service.requests[0]?.authorization).toBeUndefined()
  })

  test.for<[what: string, mode: EmbeddingServer['mode'], message: RegExp]>([
    ['an answer that is not JSON', { body: '<html>' }, /not JSON/],
    ['an answer of another shape', { body: '{"vectors":[]}' }, /not a list of vectors/],
    ['fewer vectors than texts', { body: '{"data":[{"index":0,"embedding":[1]}]}' }, /2 texts were sent, 1/],
    [
      'two vectors with the same index',
      { body: '{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}' },
      /not numbered/,
    ],
    [
      'vectors of different lengths',
      { body: '{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}' },
      /differ in length/,
    ],
    ['values that are not numbers', { body: '{"data":[{"index":0,"embedding":["1"]}]}' }, /not a list of vectors/],
    ['an endless answer', { body: `{"data":"${'x'.repeat(500_000)}"}` }, /more than \d+ bytes/],
    ['a redirect, which would get the key', { location: 'http://127.0.0.1:1/' }, /could not be reached/],
    ['an error status', { status: 401 }, /answered 401/],
  ])('are refused for %s', async ([, mode, message]) => {
    service.mode = mode
    const failure = await open()
      .embedPages(['car', 'bread'], signal)
      .catch((error: unknown) => error)
    expect(String(failure)).toMatch(message)
    expect(String(failure)).not.toMatch(/secret|bread/)
  })

  test('are sent again if the service was briefly unavailable', async () => {
    service.mode = { status: 503 }
    const sent = open().embedPages(['car'], signal)
    setTimeout(() => {
      service.mode = {}
    }, 2)
    expect(await sent).toHaveLength(1)
  })

  test('are not sent while the circuit breaker is open after three failures', async () => {
    const embedder = open()
    service.mode = { status: 500 }
    await expect(embedder.embedPages(['car'], signal)).rejects.toThrow(/500/)
    expect(embedder.waitMs()).toBeGreaterThan(20_000)
    service.mode = {}
    await expect(embedder.embedPages(['car'], signal)).rejects.toThrow(/are paused/)
    expect(service.requests).toEqual([])
  })

  test('that are too long for the model are shortened until it accepts them, and others are not', async () => {
    service.mode = { maxLength: 2000 }
    const vectors = await embedTexts(open(), ['car', `ship ${'x'.repeat(9000)}`, 'bread', ' — '], signal)
    expect(vectors.map(({ values }) => values.indexOf(127))).toEqual([0, 2, 4, -1])
    expect(service.requests.flatMap(({ texts }) => texts)).toContain('bread')
  })

  test('that are refused at any length are left out; a service that refuses everything is an error', async () => {
    service.mode = { maxLength: 50 }
    const [, refused] = await embedTexts(open(), ['car', 'y'.repeat(100)], signal)
    expect(refused?.values).toHaveLength(0)
    service.mode = { status: 400 }
    await expect(embedTexts(open(), ['car'], signal)).rejects.toThrow(/400/)
  })
})

describe('a query', () => {
  test('is sent once and then cached', async () => {
    const embedder = open()
    const first = await embedder.embedQuery('car')
    expect(await embedder.embedQuery('car')).toBe(first)
    expect(service.requests).toHaveLength(1)
  })

  test('is awaited only as long as a search may wait; it is cached for the next one', async () => {
    const embedder = open()
    service.mode = { delayMs: 400 }
    const began = performance.now()
    expect(await embedder.embedQuery('car')).toBeNull()
    expect(performance.now() - began).toBeLessThan(350)
    await expect.poll(() => embedder.embedQuery('car'), { timeout: 3000 }).not.toBeNull()
    expect(service.requests).toHaveLength(1)
  })

  test('is not awaited if the service is always late', async () => {
    const embedder = open()
    service.mode = { delayMs: 250 }
    for (const word of ['car', 'ship', 'bread']) {
      await embedder.embedQuery(word)
      await expect.poll(() => embedder.embedQuery(word)).not.toBeNull()
    }
    const began = performance.now()
    expect(await embedder.embedQuery('king')).toBeNull()
    expect(performance.now() - began).toBeLessThan(100)
  })

  test('never rejects, and is not sent while the service is unavailable', async () => {
    const embedder = open()
    const outcomes: string[] = []
    embedder.onRequest((kind, outcome) => outcomes.push(`${kind} ${outcome}`))
    service.mode = { status: 503 }
    for (const word of ['a', 'b', 'c', 'd', 'e']) expect(await embedder.embedQuery(word)).toBeNull()
    expect(outcomes).toEqual(['query failed', 'query failed', 'query failed'])
  })
})

test('a circuit breaker opens after consecutive failures, twice as long each time, and as long as the service asks', () => {
  let now = 0
  const circuit = createCircuit({ failures: 2, openMs: 100, maxOpenMs: 250 }, () => now)
  circuit.failed()
  expect(circuit.isClosed()).toBe(true)
  circuit.failed()
  expect(circuit.waitMs()).toBe(100)
  now += 100
  expect(circuit.isClosed()).toBe(true)
  circuit.failed()
  expect(circuit.waitMs()).toBe(200)
  now += 200
  circuit.failed()
  expect(circuit.waitMs()).toBe(250)
  now += 250
  circuit.succeeded()
  circuit.failed(70)
  expect(circuit.waitMs()).toBe(70)
})

describe('the settings', () => {
  const url = 'LECTERN_EMBEDDINGS_URL'
  const read = (environment: object) => {
    const problems: string[] = []
    return { settings: readEmbeddingSettings(environment, problems), problems }
  }

  test.for([
    ['https://api.example.com/v1', 'https://api.example.com/v1/embeddings'],
    ['https://api.example.com/v1/', 'https://api.example.com/v1/embeddings'],
    ['http://ollama:11434/v1/embeddings', 'http://ollama:11434/v1/embeddings'],
  ] as const)('take %s', ([given, endpoint]) => {
    const { settings, problems } = read({ [url]: given, LECTERN_EMBEDDINGS_MODEL: 'm' })
    expect([settings?.endpoint, problems]).toEqual([endpoint, []])
  })

  test.for<[what: string, environment: object, problem: RegExp]>([
    ['an address without a model', { [url]: 'https://a.example/v1' }, /_MODEL: required/],
    ['a model without an address', { LECTERN_EMBEDDINGS_MODEL: 'm' }, /_URL: required/],
    ['a key without an address', { LECTERN_EMBEDDINGS_KEY: 'k' }, /_URL: required/],
    ['a password in the address', { [url]: 'https://u:p@a.example', LECTERN_EMBEDDINGS_MODEL: 'm' }, /_KEY/],
    ['another protocol', { [url]: 'file:///etc/passwd', LECTERN_EMBEDDINGS_MODEL: 'm' }, /http or https/],
  ])('refuse %s', ([, environment, problem]) => {
    const { settings, problems } = read(environment)
    expect([settings, problems.join()]).toEqual([undefined, expect.stringMatching(problem)])
  })
})
