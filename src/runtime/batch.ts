import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Gathers calls that wait at the same time into one round of work: `run` takes their inputs together and answers each, in
 * order. A call is part of a round that begins after it was made, so an answer is never older than its question; while a
 * round is under way, the calls that arrive wait for the next one. A round that fails, fails for all its calls; none of them
 * can end it: it runs in the asynchronous context in which the gathering was made.
 */
export function gather<Input, Output>(
  run: (inputs: readonly Input[]) => Promise<readonly Output[]>,
): (input: Input) => Promise<Output> {
  const inRound = AsyncLocalStorage.bind(run)
  const waiting: Waiting<Input, Output>[] = []
  let busy = false
  async function work(): Promise<void> {
    // Calls of the same turn of the event loop are one round, also when nothing is under way.
    await new Promise(setImmediate)
    while (waiting.length > 0) {
      await settle(inRound, waiting.splice(0, mostAtOnce))
    }
    busy = false
  }
  return (input) =>
    new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject })
      if (busy) return
      busy = true
      void work()
    })
}

/** How many calls one round takes. */
const mostAtOnce = 256

interface Waiting<Input, Output> {
  input: Input
  resolve(output: Output): void
  reject(error: unknown): void
}

async function settle<Input, Output>(
  run: (inputs: readonly Input[]) => Promise<readonly Output[]>,
  round: readonly Waiting<Input, Output>[],
): Promise<void> {
  try {
    const outputs = await run(round.map(({ input }) => input))
    for (const [index, { resolve }] of round.entries()) resolve(outputs[index] as Output)
  } catch (error) {
    for (const { reject } of round) reject(error)
  }
}

export interface Collector<Input> {
  give(input: Input): void
  /** Waits until everything that was given so far has been handed over. */
  settled(): Promise<void>
}

/**
 * Collects what nobody waits for and hands it to `run` together, `afterMs` after the first of it was given; one round at a
 * time. What a round that fails was handed is lost, and `failed` is told. So is what was given in the last `afterMs` before
 * the process is killed.
 */
export function collect<Input>(
  run: (inputs: readonly Input[]) => Promise<unknown>,
  { afterMs, failed }: { afterMs: number; failed(error: unknown): void },
): Collector<Input> {
  const inRound = AsyncLocalStorage.bind(run)
  let waiting: Input[] = []
  let round = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const hand = async (): Promise<void> => {
    const inputs = waiting
    waiting = []
    try {
      if (inputs.length > 0) await inRound(inputs)
    } catch (error) {
      failed(error)
    }
  }
  const start = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    round = round.then(hand)
    return round
  }
  return {
    give(input) {
      waiting.push(input)
      timer ??= setTimeout(start, afterMs)
    },
    settled: start,
  }
}

/**
 * Gathers lookups by key: `load` finds the rows of all keys that are asked for at the same time. Each call gets those of
 * its own keys that are there, each once; rows are shared and not to be changed.
 */
export function gatherRows<Row extends { _id: string }>(
  load: (keys: readonly string[]) => Promise<readonly Row[]>,
): (keys: readonly string[]) => Promise<Row[]> {
  const find = gather(async (wishes: readonly (readonly string[])[]) => {
    const rows = new Map((await load([...new Set(wishes.flat())])).map((row) => [row._id, row]))
    return wishes.map((keys) => [...new Set(keys)].map((key) => rows.get(key)).filter((row) => row !== undefined))
  })
  return (keys) => (keys.length === 0 ? Promise.resolve([]) : find(keys))
}
