import { AsyncLocalStorage } from 'node:async_hooks'

/** The call was cancelled because its client disconnected. Not a failure: no response is sent. */
export class ClientDisconnected extends Error {
  constructor() {
    super('The client disconnected before the response.')
    this.name = 'ClientDisconnected'
  }
}

/** `cancellable`: ends if its client disconnects; `abandoned`: its client has disconnected; `shielded`: runs to completion. */
interface CancellationScope {
  state: 'cancellable' | 'abandoned' | 'shielded'
  /** Aborts running reads; null before the first one that may take long. */
  readAbort: AbortController | null
}

const scopeStorage = new AsyncLocalStorage<CancellationScope | undefined>()

/**
 * How long a running query may continue after the client disconnects, ms. Most queries finish within this time;
 * aborting one costs the driver its connection.
 */
const abortGraceMs = 50

/**
 * Runs a call until `signal` aborts: then it starts no further read of the store, aborts a long one and rejects with
 * ClientDisconnected. After its first write the call runs to completion.
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
    // Background work that the call has started does not depend on its client.
    if (scope.state === 'cancellable') scope.state = 'shielded'
  }
}

/**
 * The abort signal for a read of the store; already aborted if the read must not start, undefined if nothing aborts it.
 * A `quick` read is not aborted once it has started.
 */
export function readSignal(quick = false): AbortSignal | undefined {
  const scope = scopeStorage.getStore()
  if (scope?.state === 'abandoned') return AbortSignal.abort(new ClientDisconnected())
  if (scope?.state !== 'cancellable' || quick) return undefined
  scope.readAbort ??= new AbortController()
  return scope.readAbort.signal
}

/** From here on the current call runs to completion. Throws ClientDisconnected if its client has already disconnected. */
export function shield(): void {
  const scope = scopeStorage.getStore()
  if (scope?.state === 'abandoned') throw new ClientDisconnected()
  if (scope) scope.state = 'shielded'
}

/** Detaches `work` from the current call: for work shared between calls, or work that must complete. */
export function detached<Inputs extends unknown[], Output>(
  work: (...inputs: Inputs) => Output,
): (...inputs: Inputs) => Output {
  return (...inputs) => scopeStorage.run(undefined, () => work(...inputs))
}
