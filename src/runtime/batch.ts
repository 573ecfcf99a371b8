import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Gathers calls that wait at the same time into one round of work: `run` takes their inputs together and answers each, in
 * order. A call is part of a round that begins after it was made, so an answer is never older than its question; while a
 * round is under way, the calls that arrive wait for the next one. A round that fails, fails for all its calls; none of them
 * can end it: it runs in the asynchronous context in which the gathering was made.
 */
export function batch<Input, Output>(
  run: (inputs: readonly Input[]) => Promise<readonly Output[]>,
): (input: Input) => Promise<Output> {
  const runDetached = AsyncLocalStorage.bind(run)
  const queue: PendingCall<Input, Output>[] = []
  let isDraining = false
  async function drainQueue(): Promise<void> {
    // Calls of the same turn of the event loop are one round, also when nothing is under way.
    await new Promise(setImmediate)
    while (queue.length > 0) {
      await runBatch(runDetached, queue.splice(0, maxBatchSize))
    }
    isDraining = false
  }
  return (input) =>
    new Promise((resolve, reject) => {
      queue.push({ input, resolve, reject })
      if (isDraining) return
      isDraining = true
      void drainQueue()
    })
}

/** How many calls one round takes. */
const maxBatchSize = 256

interface PendingCall<Input, Output> {
  input: Input
  resolve(output: Output): void
  reject(error: unknown): void
}

async function runBatch<Input, Output>(
  run: (inputs: readonly Input[]) => Promise<readonly Output[]>,
  pendingCalls: readonly PendingCall<Input, Output>[],
): Promise<void> {
  try {
    const outputs = await run(pendingCalls.map(({ input }) => input))
    for (const [index, { resolve }] of pendingCalls.entries()) resolve(outputs[index] as Output)
  } catch (error) {
    for (const { reject } of pendingCalls) reject(error)
  }
}

export interface WriteBehind<Input> {
  add(input: Input): void
  /** Waits until everything that was given so far has been handed over. */
  flush(): Promise<void>
}

/**
 * Collects what nobody waits for and hands it to `run` together, `afterMs` after the first of it was given; one round at a
 * time. What a round that fails was handed is lost, and `failed` is told. So is what was given in the last `afterMs` before
 * the process is killed.
 */
export function writeBehind<Input>(
  run: (inputs: readonly Input[]) => Promise<unknown>,
  { afterMs: delayMs, failed: onError }: { afterMs: number; failed(error: unknown): void },
): WriteBehind<Input> {
  const runDetached = AsyncLocalStorage.bind(run)
  let pending: Input[] = []
  let lastFlush = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const writePending = async (): Promise<void> => {
    const inputs = pending
    pending = []
    try {
      if (inputs.length > 0) await runDetached(inputs)
    } catch (error) {
      onError(error)
    }
  }
  const flushPending = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    lastFlush = lastFlush.then(writePending)
    return lastFlush
  }
  return {
    add(input) {
      pending.push(input)
      timer ??= setTimeout(() => void flushPending(), delayMs)
    },
    flush: flushPending,
  }
}

/**
 * Gathers lookups by key: `load` finds the rows of all keys that are asked for at the same time. Each call gets those of
 * its own keys that are there, each once; rows are shared and not to be changed.
 */
export function batchLoad<Row extends { _id: string }>(
  load: (keys: readonly string[]) => Promise<readonly Row[]>,
): (keys: readonly string[]) => Promise<Row[]> {
  const loadBatched = batch(async (keyLists: readonly (readonly string[])[]) => {
    const rows = new Map((await load([...new Set(keyLists.flat())])).map((row) => [row._id, row]))
    return keyLists.map((keys) => [...new Set(keys)].map((key) => rows.get(key)).filter((row) => row !== undefined))
  })
  return (keys) => (keys.length === 0 ? Promise.resolve([]) : loadBatched(keys))
}
