import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Groups concurrent calls into batches: `run` takes their inputs together and returns their outputs in the same order. A
 * batch starts after its calls were made, so no output is older than its call; calls that arrive during a batch wait for
 * the next one. If a batch fails, all its calls fail. No single call can cancel a batch: it runs in the asynchronous context
 * in which the function was created.
 */
export function batch<Input, Output>(
  run: (inputs: readonly Input[]) => Promise<readonly Output[]>,
): (input: Input) => Promise<Output> {
  const runDetached = AsyncLocalStorage.bind(run)
  const queue: PendingCall<Input, Output>[] = []
  let isDraining = false
  async function drainQueue(): Promise<void> {
    // Calls of the same turn of the event loop form one batch, even if no batch is running.
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

/** Like `batch`, but calls with different keys are in different batches, which do not wait for each other. */
export function batchByKey<Input, Output>(
  keyOf: (input: Input) => string,
  run: (inputs: readonly Input[]) => Promise<readonly Output[]>,
): (input: Input) => Promise<Output> {
  const runDetached = AsyncLocalStorage.bind(run)
  const lines = new Map<string, { call: (input: Input) => Promise<Output>; running: number }>()
  return async (input) => {
    const key = keyOf(input)
    const line = lines.get(key) ?? { call: batch(runDetached), running: 0 }
    lines.set(key, line)
    line.running++
    try {
      return await line.call(input)
    } finally {
      if (--line.running === 0) lines.delete(key)
    }
  }
}

/** The maximum number of calls in a batch. */
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
  /** Runs the collected inputs at once; resolves when this and all earlier runs are done. */
  flush(): Promise<void>
}

/**
 * Collects inputs that no caller waits for and passes them to `run` together, `delayMs` after the first. Only one run
 * is active at a time. The inputs of a failed run are lost and `onError` receives its error. The inputs of the last
 * `delayMs` are also lost if the process is killed.
 */
export function writeBehind<Input>(
  run: (inputs: readonly Input[]) => Promise<unknown>,
  { delayMs, onError }: { delayMs: number; onError(error: unknown): void },
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
 * Groups concurrent lookups by key: `load` finds the rows of all requested keys. Each call receives the existing rows
 * of its own keys without duplicates. Callers share the rows and must not modify them.
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
