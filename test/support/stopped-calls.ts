import { AsyncLocalStorage } from 'node:async_hooks'
import { AbstractCursor, Collection } from 'mongodb'
import { afterAll } from 'vitest'

/** A call whose process stops before its nth command to the store, and continues after `overtake`. */
export interface Stop {
  at: number
  commands: number
  overtake(): Promise<void>
}

const stops = new AsyncLocalStorage<Stop>()

async function stopBeforeCommand(): Promise<void> {
  const stop = stops.getStore()
  if (!stop) return
  stop.commands += 1
  if (stop.commands === stop.at) await stops.exit(() => stop.overtake())
}

type Method = (this: unknown, ...args: unknown[]) => Promise<unknown>
const originals: (() => void)[] = []

function stopBefore(owner: object, names: readonly string[]): void {
  const methods = owner as Record<string, Method>
  for (const name of names) {
    const original = methods[name]
    if (!original) throw new Error(`there is no ${name}`)
    originals.push(() => (methods[name] = original))
    methods[name] = async function stopped(...args) {
      await stopBeforeCommand()
      return original.apply(this, args)
    }
  }
}

const writes = ['insertOne', 'insertMany', 'updateOne', 'updateMany', 'replaceOne', 'bulkWrite', 'deleteOne']

/** Runs `call` with a stop before a command to the store, in a file with `useStops`. */
export function runWithStop<T>(stop: Stop, call: () => Promise<T>): Promise<T> {
  return stops.run(stop, call)
}

/** Lets the calls of a test file stop. Call it before the server of the file binds the methods of the driver. */
export function useStops(): void {
  stopBefore(Collection.prototype, [...writes, 'deleteMany', 'findOneAndUpdate', 'findOneAndDelete', 'findOne'])
  stopBefore(AbstractCursor.prototype, ['toArray'])
  afterAll(() => originals.splice(0).forEach((restore) => restore()))
}
