import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { createCircuit, type Circuit } from './circuit.ts'
import { EmbeddingError, readAnswer } from './read-answer.ts'
import type { EmbeddingSettings } from './settings.ts'
import type { Vector } from './vector.ts'

/** The outcome of a request to the service. */
export type EmbeddingOutcome = 'answered' | 'failed'
type RequestKind = 'query' | 'pages'

/** Converts texts to vectors with a service that may be slow or unavailable. */
export interface Embedder {
  model: string
  /**
   * The vectors of texts, in order; retries after transient failures. Throws `EmbeddingError`, and does so at once
   * while the circuit breaker is open.
   */
  embedPages(texts: readonly string[], signal: AbortSignal): Promise<Vector[]>
  /** The vector of a query; null if it is not available within `queryWaitMs`. Never rejects. */
  embedQuery(text: string): Promise<Vector | null>
  /** Time until pages may be sent again, ms; 0: now. */
  waitMs(): number
  /** Calls `listener` after each request. */
  onRequest(listener: (kind: RequestKind, outcome: EmbeddingOutcome) => void): void
}

export interface EmbedderTimes {
  /** How long a search waits for the vector of its query, ms. */
  queryWaitMs: number
  /** The first pause before a request for pages is retried, ms; each further one is four times as long. */
  retryMs: number
  /** Maximum duration of a request for pages, ms. */
  pagesMs: number
}

export const embedderTimes: EmbedderTimes = { queryWaitMs: 400, retryMs: 500, pagesMs: 120_000 }

/**
 * How long a request continues after its search has stopped waiting, so that the same query is cached next time, ms.
 */
const queryMs = 3000
const maxQueriesAtATime = 8
const keptQueries = 1000
/** Number of consecutive late answers after which searches no longer wait, until an answer is in time. */
const maxSlow = 3
const attempts = 3
const maxRetryAfterMs = 5 * 60_000

/** Creates the embedder of a configured service. Does not follow redirects, because they would receive the key. */
export function createEmbedder(settings: EmbeddingSettings, times: EmbedderTimes = embedderTimes): Embedder {
  const pages = createCircuit()
  const queries = createCircuit()
  const listeners: ((kind: RequestKind, outcome: EmbeddingOutcome) => void)[] = []
  const send = async (kind: RequestKind, texts: readonly string[], signal: AbortSignal): Promise<Vector[]> => {
    const circuit = kind === 'pages' ? pages : queries
    try {
      const vectors = await request(settings, texts, signal)
      circuit.succeeded()
      for (const listen of listeners) listen(kind, 'answered')
      return vectors
    } catch (error) {
      const failure = toFailure(error)
      // A text that is too long indicates nothing about the service.
      if (!refusesTexts(failure)) circuit.failed(failure.retryAfterMs)
      for (const listen of listeners) listen(kind, 'failed')
      throw failure
    }
  }
  return {
    model: settings.model,
    waitMs: () => pages.waitMs(),
    onRequest: (listener) => void listeners.push(listener),
    embedPages: (texts, signal) => withRetries(texts, { send, circuit: pages, times, signal }),
    embedQuery: createQueryCache((text) => send('query', [text], AbortSignal.timeout(queryMs)), queries, times),
  }
}

/** True if the service refuses these texts, for example because one is too long. */
export function refusesTexts({ status }: EmbeddingError): boolean {
  return status === 400 || status === 413 || status === 422
}

interface Attempt {
  send(kind: RequestKind, texts: readonly string[], signal: AbortSignal): Promise<Vector[]>
  circuit: Circuit
  times: EmbedderTimes
  signal: AbortSignal
}

async function withRetries(texts: readonly string[], { send, circuit, times, signal }: Attempt): Promise<Vector[]> {
  for (let attempt = 1; ; attempt++) {
    if (!circuit.isClosed()) throw new EmbeddingError('requests to the service are paused after repeated failures')
    try {
      return await send('pages', texts, AbortSignal.any([signal, AbortSignal.timeout(times.pagesMs)]))
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof EmbeddingError) || attempt === attempts || !mayPass(error)) throw error
      await delay(times.retryMs * 4 ** (attempt - 1), undefined, { signal })
    }
  }
}

function mayPass({ status }: EmbeddingError): boolean {
  return status === null || status === 408 || status === 429 || status >= 500
}

function createQueryCache(embed: (text: string) => Promise<Vector[]>, circuit: Circuit, times: EmbedderTimes) {
  const known = new LRUCache<string, Vector>({ max: keptQueries })
  const running = new Map<string, Promise<Vector | null>>()
  let slow = 0
  const ask = (text: string): Promise<Vector | null> => {
    const began = performance.now()
    const asked = embed(text)
      .then(
        ([vector]) => {
          slow = performance.now() - began > times.queryWaitMs ? slow + 1 : 0
          if (vector) known.set(text, vector)
          return vector ?? null
        },
        () => null,
      )
      .finally(() => running.delete(text))
    running.set(text, asked)
    return asked
  }
  return async (text: string): Promise<Vector | null> => {
    const vector = known.get(text)
    if (vector) return vector
    const same = running.get(text)
    if (!same && (!circuit.isClosed() || running.size >= maxQueriesAtATime)) return null
    const asked = same ?? ask(text)
    // If the service is always late, the request is sent for the next search and not awaited.
    if (slow >= maxSlow) return null
    const late = new AbortController()
    const waited = delay(times.queryWaitMs, null, { signal: late.signal }).catch(() => null)
    const found = await Promise.race([asked, waited])
    late.abort()
    return found
  }
}

async function request(
  { endpoint, model, key }: EmbeddingSettings,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Vector[]> {
  const response = await fetch(endpoint, {
    method: 'POST',
    redirect: 'error',
    signal,
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json',
      ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({ model, input: texts, encoding_format: 'float' }),
  })
  if (response.ok) return readAnswer(response, texts.length)
  await response.body?.cancel()
  const { status, headers } = response
  throw new EmbeddingError(`the service answered ${status}`, { status, retryAfterMs: retryAfterMsOf(headers) })
}

/** `Retry-After` in seconds (RFC 9110, section 10.2.3); 0 if absent. */
function retryAfterMsOf(headers: Headers): number {
  const seconds = Number(headers.get('retry-after') ?? 0)
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(maxRetryAfterMs, seconds * 1000) : 0
}

function toFailure(error: unknown): EmbeddingError {
  if (error instanceof EmbeddingError) return error
  if (error instanceof Error && error.name === 'TimeoutError') return new EmbeddingError('no answer in time')
  return new EmbeddingError('the service could not be reached')
}
