import { setTimeout as delay } from 'node:timers/promises'
import { AppError, isStoreUnavailable } from '../core/errors.ts'

/** An entry of a watched list. */
export interface StreamEntry {
  id: string
  updatedAt: string
}

interface StreamOptions {
  accountId: string
  /** Name of the events. */
  eventName: string
  /** Reads the current entries; refuses if the caller may no longer see them. */
  read(): Promise<readonly StreamEntry[]>
  /** The `Last-Event-ID` header: entries unchanged since then are not sent again. */
  lastEventId: string | null
  /** Aborted when the client disconnects. */
  signal: AbortSignal
  /** Called with the error that ends a stream early. */
  onError(error: unknown): void
}

const pollIntervalMs = 1000
/** Interval of keep-alive messages: proxies close idle connections. */
const keepAliveIntervalMs = 15_000
/** Streams end after this time; clients reconnect, perhaps to another replica. */
const maxStreamMs = 10 * 60_000

/** Maximum number of open streams per account and process. */
const maxOpenStreams = 10

export interface EventStreams {
  /**
   * Opens a stream of server-sent events (HTML Living Standard, section 9.2): all current entries, then each entry that
   * changes. The event id is the time of the change; after a reconnect, changes of the same millisecond are sent again.
   * Refuses like `read`, and with RATE_LIMITED if the account has too many open streams.
   */
  open(watch: StreamOptions): Promise<Response>
}

/** Creates event streams that end when the server stops. */
export function createEventStreams(shutdownSignal: AbortSignal): EventStreams {
  const acquireSlot = createStreamLimiter()
  return {
    async open(options) {
      const first = await options.read()
      const streamEnd = new AbortController()
      const signal = AbortSignal.any([
        streamEnd.signal,
        options.signal,
        shutdownSignal,
        AbortSignal.timeout(maxStreamMs),
      ])
      acquireSlot(options.accountId, signal)
      async function* stream(): AsyncGenerator<string> {
        try {
          yield* streamEvents(options, first, signal)
        } finally {
          streamEnd.abort()
        }
      }
      const headers = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' }
      return new Response(ReadableStream.from(stream()).pipeThrough(new TextEncoderStream()), { headers })
    },
  }
}

async function* streamEvents(
  options: StreamOptions,
  first: readonly StreamEntry[],
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { eventName, lastEventId } = options
  const lastSent = new Map(
    first.filter(({ updatedAt }) => lastEventId !== null && updatedAt < lastEventId).map(serializeEntry),
  )
  yield `retry: ${pollIntervalMs}\n\n`
  let sentAt = performance.now()
  for (let entries: readonly StreamEntry[] | null = first; entries; entries = await pollEntries(options, signal)) {
    const changed = entries.filter((entry) => lastSent.get(entry.id) !== JSON.stringify(entry)).toSorted(byUpdatedAt)
    for (const [id, data] of changed.map(serializeEntry)) lastSent.set(id, data)
    if (changed.length === 0 && performance.now() - sentAt < keepAliveIntervalMs) continue
    yield changed.map((entry) => formatEvent(eventName, entry)).join('') || ':\n\n'
    sentAt = performance.now()
  }
}

/** Counts each account's open streams until their signals abort; refuses with RATE_LIMITED above the maximum. */
function createStreamLimiter(): (accountId: string, signal: AbortSignal) => void {
  const openByAccount = new Map<string, number>()
  return (accountId, signal) => {
    const openCount = openByAccount.get(accountId) ?? 0
    if (openCount >= maxOpenStreams) {
      const message = `At most ${maxOpenStreams} event streams can be open at a time. Close one, or get the list instead.`
      throw new AppError('RATE_LIMITED', message, { retryAfterSeconds: keepAliveIntervalMs / 1000 })
    }
    openByAccount.set(accountId, openCount + 1)
    const releaseSlot = () => void openByAccount.set(accountId, (openByAccount.get(accountId) ?? 1) - 1)
    if (signal.aborted) releaseSlot()
    else signal.addEventListener('abort', releaseSlot, { once: true })
  }
}

/** Reads the entries after the poll interval; null when the stream ends. Retries while the store is unavailable. */
async function pollEntries(
  { read, onError }: StreamOptions,
  signal: AbortSignal,
): Promise<readonly StreamEntry[] | null> {
  for (;;) {
    try {
      await delay(pollIntervalMs, undefined, { signal })
      return await read()
    } catch (error) {
      if (signal.aborted) return null
      if (isStoreUnavailable(error)) continue
      onError(error)
      return null
    }
  }
}

const serializeEntry = (entry: StreamEntry): [string, string] => [entry.id, JSON.stringify(entry)]
const formatEvent = (name: string, entry: StreamEntry) =>
  `event: ${name}\nid: ${entry.updatedAt}\ndata: ${JSON.stringify(entry)}\n\n`
const byUpdatedAt = (a: StreamEntry, b: StreamEntry) => (a.updatedAt < b.updatedAt ? -1 : 1)
