import { setTimeout as delay } from 'node:timers/promises'
import { AppError, isStoreUnavailable } from '../core/errors.ts'

/** An entry of a list that is watched. */
export interface Entry {
  id: string
  updatedAt: string
}

interface Watch {
  accountId: string
  /** The events' name. */
  name: string
  /** The entries as they are now; refuses when the caller may not see them any more. */
  read(): Promise<readonly Entry[]>
  /** The `Last-Event-ID` header: entries that have not changed since are not sent again. */
  since: string | null
  /** Aborted when the client has gone. */
  signal: AbortSignal
  /** Told why a stream ends early. */
  failed(error: unknown): void
}

const pollMs = 1000
/** A proxy on the way takes a connection that is silent for long for a dead one. */
const silenceMs = 15_000
/** After this long a client is to connect again, perhaps to another replica. */
const longestMs = 10 * 60_000

/** How many streams an account may have open at a process. */
const mostOpen = 10

export interface EventStreams {
  /**
   * Server-sent events (HTML Living Standard, section 9.2) of a list: each entry as it is now, then each one that changes. The
   * id of an event is the time of the change; after a reconnection what happened in the same instant comes again. Refuses as
   * the first reading does, and with RATE_LIMITED where the account has too many open.
   */
  open(watch: Watch): Promise<Response>
}

/** Streams that end when the server does, so that it can stop. */
export function createEventStreams(ending: AbortSignal): EventStreams {
  const count = countOpen()
  return {
    async open(watch) {
      const first = await watch.read()
      const over = new AbortController()
      const signal = AbortSignal.any([over.signal, watch.signal, ending, AbortSignal.timeout(longestMs)])
      count(watch.accountId, signal)
      async function* stream(): AsyncGenerator<string> {
        try {
          yield* events(watch, first, signal)
        } finally {
          over.abort()
        }
      }
      const headers = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' }
      return new Response(ReadableStream.from(stream()).pipeThrough(new TextEncoderStream()), { headers })
    },
  }
}

async function* events(watch: Watch, first: readonly Entry[], signal: AbortSignal): AsyncGenerator<string> {
  const { name, since } = watch
  const known = new Map(first.filter(({ updatedAt }) => since !== null && updatedAt < since).map(entryOf))
  yield `retry: ${pollMs}\n\n`
  let sentAt = performance.now()
  for (let entries: readonly Entry[] | null = first; entries; entries = await next(watch, signal)) {
    const changed = entries.filter((entry) => known.get(entry.id) !== JSON.stringify(entry)).toSorted(byChange)
    for (const [id, data] of changed.map(entryOf)) known.set(id, data)
    if (changed.length === 0 && performance.now() - sentAt < silenceMs) continue
    yield changed.map((entry) => eventOf(name, entry)).join('') || ':\n\n'
    sentAt = performance.now()
  }
}

/** Counts an account's streams until their signals are aborted; refuses one too many. */
function countOpen(): (accountId: string, signal: AbortSignal) => void {
  const open = new Map<string, number>()
  return (accountId, signal) => {
    const others = open.get(accountId) ?? 0
    if (others >= mostOpen) {
      const message = `Only ${mostOpen} event streams can be open at a time. Close one, or ask for the list instead.`
      throw new AppError('RATE_LIMITED', message, { retryAfterSeconds: silenceMs / 1000 })
    }
    open.set(accountId, others + 1)
    const leave = () => void open.set(accountId, (open.get(accountId) ?? 1) - 1)
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
  }
}

/** The entries a moment later; null at the end. While the store is out of reach it is asked again. */
async function next({ read, failed }: Watch, signal: AbortSignal): Promise<readonly Entry[] | null> {
  for (;;) {
    try {
      await delay(pollMs, undefined, { signal })
      return await read()
    } catch (error) {
      if (signal.aborted) return null
      if (isStoreUnavailable(error)) continue
      failed(error)
      return null
    }
  }
}

const entryOf = (entry: Entry): [string, string] => [entry.id, JSON.stringify(entry)]
const eventOf = (name: string, entry: Entry) =>
  `event: ${name}\nid: ${entry.updatedAt}\ndata: ${JSON.stringify(entry)}\n\n`
const byChange = (a: Entry, b: Entry) => (a.updatedAt < b.updatedAt ? -1 : 1)
