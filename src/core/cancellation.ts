import { AsyncLocalStorage } from 'node:async_hooks'

/** What a call rejects with that was given up because its client has gone: nobody is told, and nothing is wrong. */
export class ClientGone extends Error {
  constructor() {
    super('The client went away before it was answered.')
    this.name = 'ClientGone'
  }
}

/** `open`: ends with its client; `given up`: its client has gone; `bound`: runs to its end whatever the client does. */
interface Call {
  state: 'open' | 'given up' | 'bound'
  /** Ends reads that are under way; null before the first that may take long. */
  cut: AbortController | null
}

const calls = new AsyncLocalStorage<Call | undefined>()

/**
 * For how long a query that is under way may go on when the client has gone, ms. Most end by themselves until then, and
 * keep their connection: ending one costs the driver the connection that it runs on.
 */
const graceMs = 50

/**
 * Runs a call for as long as somebody waits for its answer: after `signal` it begins no read of the store, ends the one
 * that takes long, and rejects with ClientGone. From its first write on it runs to its end.
 */
export async function runForClient<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  if (signal.aborted) throw new ClientGone()
  const call: Call = { state: 'open', cut: null }
  const giveUp = () => {
    if (call.state !== 'open') return
    call.state = 'given up'
    setTimeout(() => call.cut?.abort(new ClientGone()), graceMs).unref()
  }
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    return await calls.run(call, run)
  } catch (error) {
    throw signal.aborted && error === signal.reason ? new ClientGone() : error
  } finally {
    signal.removeEventListener('abort', giveUp)
    // What the call has left running in the background is not for its client.
    if (call.state === 'open') call.state = 'bound'
  }
}

/**
 * The signal that a read of the store has to heed, aborted when it must not begin; undefined for one that nothing ends. A
 * `quick` read, once begun, is not ended.
 */
export function readSignal(quick = false): AbortSignal | undefined {
  const call = calls.getStore()
  if (call?.state === 'given up') return AbortSignal.abort(new ClientGone())
  if (call?.state !== 'open' || quick) return undefined
  call.cut ??= new AbortController()
  return call.cut.signal
}

/** From here on the current call runs to its end. Throws ClientGone when its client has gone already: then nothing begins. */
export function pointOfNoReturn(): void {
  const call = calls.getStore()
  if (call?.state === 'given up') throw new ClientGone()
  if (call) call.state = 'bound'
}

/** Makes `work` independent of the call that asks for it: for work that is shared between calls, or that must be ended. */
export function apart<Inputs extends unknown[], Output>(
  work: (...inputs: Inputs) => Output,
): (...inputs: Inputs) => Output {
  return (...inputs) => calls.run(undefined, () => work(...inputs))
}
