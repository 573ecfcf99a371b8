/** Maximum time that a task may block the event loop before it yields, ms. */
const sliceMs = 3

const waiting: (() => void)[] = []

/**
 * Ends the current time slice; resolves when it is the caller's turn again (FIFO). Only one task continues per
 * iteration of the event loop, however many wait. So requests in between wait for at most one slice.
 */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(serveNext)
  })
}

function serveNext(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(serveNext)
}

/** Divides the work of a task into time slices. */
export interface Pacer {
  /** True if the time slice is over: call `yieldTurn` before more work. */
  isDue(): boolean
  /** Yields to the event loop. Throws the reason of the task's signal if it has been aborted. */
  yieldTurn(): Promise<void>
}

/** Creates a pacer for a task that starts now and ends when `signal` aborts. */
export function createPacer(signal?: AbortSignal): Pacer {
  let started = performance.now()
  return {
    isDue: () => performance.now() - started >= sliceMs,
    async yieldTurn() {
      await nextTurn()
      signal?.throwIfAborted()
      started = performance.now()
    },
  }
}

/**
 * Runs the steps of a task, which yields between them, and yields to the event loop after each time slice; returns the
 * result.
 */
export async function runSteps<T>(pacer: Pacer, steps: Generator<void, T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    if (pacer.isDue()) await pacer.yieldTurn()
  }
}

/** Runs the steps of a task without yielding to the event loop; returns the result. */
export function finishSteps<T>(steps: Generator<void, T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
