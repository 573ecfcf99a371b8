/**
 * Gathers calls that wait at the same time into one round of work: `run` takes their inputs together and answers each, in
 * order. A call is part of a round that begins after it was made, so an answer is never older than its question; while a
 * round is under way, the calls that arrive wait for the next one. A round that fails, fails for all its calls.
 */
export function gather<Input, Output>(
  run: (inputs: readonly Input[]) => Promise<readonly Output[]>,
): (input: Input) => Promise<Output> {
  const waiting: Waiting<Input, Output>[] = []
  let busy = false
  async function work(): Promise<void> {
    // Calls of the same turn of the event loop are one round, also when nothing is under way.
    await new Promise(setImmediate)
    while (waiting.length > 0) {
      await settle(run, waiting.splice(0, mostAtOnce))
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
