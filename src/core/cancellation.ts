import { AsyncLocalStorage } from 'node:async_hooks'

/** What a call rejects with that was given up because its client has gone: nobody is told, and nothing is wrong. */
export class ClientDisconnected extends Error {
  constructor() {
    super('The client went away before it was answered.')
    this.name = 'ClientGone'
  }
}

/** `open`: ends with its client; `given up`: its client has gone; `bound`: runs to its end whatever the client does. */
interface CancellationScope {
  state: 'cancellable' | 'abandoned' | 'shielded'
  /** Ends reads that are under way; null before the first that may take long. */
  readAbort: AbortController | null
}

const scopeStorage = new AsyncLocalStorage<CancellationScope | undefined>()

/**
 * For how long a query that is under way may go on when the client has gone, ms. Most end by themselves until then, and
 * keep their connection: ending one costs the driver the connection that it runs on.
 */
const abortGraceMs = 50

/**
 * Runs a call for as long as somebody waits for its answer: after `signal` it begins no read of the store, ends the one
 * that takes long, and rejects with ClientGone. From its first write on it runs to its end.
 */
export async function runCancellable<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  if (signal.aborted) throw new ClientDisconnected()
  const scope: CancellationScope = { state: 'cancellable', readAbort: null }
  const abandon = () => {
    if (scope.state !== 'cancellable') return
    scope.state = 'abandoned'
    setTimeout(() => scope.readAbort?.abort(new ClientDisconnected()), abortGraceMs).unref()
  }
  signal.addEventListener('abort', abandon, { once: true })
  try {
    return await scopeStorage.run(scope, run)
  } catch (error) {
    throw signal.aborted && error === signal.reason ? new ClientDisconnected() : error
  } finally {
    signal.removeEventListener('abort', abandon)
    // What the call has left running in the background is not for its client.
    if (scope.state === 'cancellable') scope.state = 'shielded'
  }
}

/**
 * The signal that a read of the store has to heed, aborted when it must not begin; undefined for one that nothing ends. A
 * `quick` read, once begun, is not ended.
 */
export function readSignal(quick = false): AbortSignal | undefined {
  const scope = scopeStorage.getStore()
  if (scope?.state === 'abandoned') return AbortSignal.abort(new ClientDisconnected())
  if (scope?.state !== 'cancellable' || quick) return undefined
  scope.readAbort ??= new AbortController()
  return scope.readAbort.signal
}

/** From here on the current call runs to its end. Throws ClientGone when its client has gone already: then nothing begins. */
export function shield(): void {
  const scope = scopeStorage.getStore()
  if (scope?.state === 'abandoned') throw new ClientDisconnected()
  if (scope) scope.state = 'shielded'
}

/** Makes `work` independent of the call that asks for it: for work that is shared between calls, or that must be ended. */
export function detached<Inputs extends unknown[], Output>(
  work: (...inputs: Inputs) => Output,
): (...inputs: Inputs) => Output {
  return (...inputs) => scopeStorage.run(undefined, () => work(...inputs))
}
