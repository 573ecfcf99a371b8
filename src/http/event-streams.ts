import { setTimeout as delay } from 'node:timers/promises'
import { AppError, isStoreUnavailable } from '../core/errors.ts'

/** An entry of a list that is watched. */
export interface StreamEntry {
  id: string
  updatedAt: string
}

interface StreamOptions {
  accountId: string
  /** The events' name. */
  eventName: string
  /** The entries as they are now; refuses when the caller may not see them any more. */
  read(): Promise<readonly StreamEntry[]>
  /** The `Last-Event-ID` header: entries that have not changed since are not sent again. */
  lastEventId: string | null
  /** Aborted when the client has gone. */
  signal: AbortSignal
  /** Told why a stream ends early. */
  onError(error: unknown): void
}

const pollIntervalMs = 1000
/** A proxy on the way takes a connection that is silent for long for a dead one. */
const keepAliveIntervalMs = 15_000
/** After this long a client is to connect again, perhaps to another replica. */
const maxStreamMs = 10 * 60_000

/** How many streams an account may have open at a process. */
const maxOpenStreams = 10

export interface EventStreams {
  /**
   * Server-sent events (HTML Living Standard, section 9.2) of a list: each entry as it is now, then each one that changes. The
   * id of an event is the time of the change; after a reconnection what happened in the same instant comes again. Refuses as
   * the first reading does, and with RATE_LIMITED where the account has too many open.
   */
  open(watch: StreamOptions): Promise<Response>
}

/** Streams that end when the server does, so that it can stop. */
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
  const { eventName: name, lastEventId } = options
  const lastSent = new Map(
    first.filter(({ updatedAt }) => lastEventId !== null && updatedAt < lastEventId).map(serializeEntry),
  )
  yield `retry: ${pollIntervalMs}\n\n`
  let sentAt = performance.now()
  for (let entries: readonly StreamEntry[] | null = first; entries; entries = await pollEntries(options, signal)) {
    const changed = entries.filter((entry) => lastSent.get(entry.id) !== JSON.stringify(entry)).toSorted(byUpdatedAt)
    for (const [id, data] of changed.map(serializeEntry)) lastSent.set(id, data)
    if (changed.length === 0 && performance.now() - sentAt < keepAliveIntervalMs) continue
    yield changed.map((entry) => formatEvent(name, entry)).join('') || ':\n\n'
    sentAt = performance.now()
  }
}

/** Counts an account's streams until their signals are aborted; refuses one too many. */
function createStreamLimiter(): (accountId: string, signal: AbortSignal) => void {
  const openByAccount = new Map<string, number>()
  return (accountId, signal) => {
    const openCount = openByAccount.get(accountId) ?? 0
    if (openCount >= maxOpenStreams) {
      const message = `Only ${maxOpenStreams} event streams can be open at a time. Close one, or ask for the list instead.`
      throw new AppError('RATE_LIMITED', message, { retryAfterSeconds: keepAliveIntervalMs / 1000 })
    }
    openByAccount.set(accountId, openCount + 1)
    const releaseSlot = () => void openByAccount.set(accountId, (openByAccount.get(accountId) ?? 1) - 1)
    if (signal.aborted) releaseSlot()
    else signal.addEventListener('abort', releaseSlot, { once: true })
  }
}

/** The entries a moment later; null at the end. While the store is out of reach it is asked again. */
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
