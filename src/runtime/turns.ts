/** How long a task may hold the event loop before it gives way, ms. */
const sliceMs = 3

const waiting: (() => void)[] = []

/**
 * Ends the current slice: resolves when it is the caller's turn again, first come, first served. One task a round of the
 * event loop goes on, however many wait, so that requests in between wait for one slice only.
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

/** Divides the work of one task into slices. */
export interface Pacer {
  /** True when the slice is over: call `giveWay` before more work. */
  isDue(): boolean
  /** Lets others run. Throws the reason of the task's signal when it has been aborted. */
  giveWay(): Promise<void>
}

/** A pacer for a task that begins now and ends when `signal` aborts. */
export function createPacer(signal?: AbortSignal): Pacer {
  let started = performance.now()
  return {
    isDue: () => performance.now() - started >= sliceMs,
    async giveWay() {
      await nextTurn()
      signal?.throwIfAborted()
      started = performance.now()
    },
  }
}

/** Runs the steps of a task, which yields between them, and gives way whenever a slice is over; returns the result. */
export async function runSteps<T>(pacer: Pacer, steps: Generator<void, T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    if (pacer.isDue()) await pacer.giveWay()
  }
}

/** Runs the steps of a task without giving way; returns the result. */
export function finishSteps<T>(steps: Generator<void, T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
