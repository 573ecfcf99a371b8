// A server that kills or stops itself right after a write to its store or its files, as ordered (`Order`). Its reading
// processes have the compiled code in TEST_READER_CODE, which the test has prepared, and are not started in advance.
// Renewals of a lease do not count as writes, because their number depends on how busy the machine is.
import { writeSync } from 'node:fs'
import fs from 'node:fs/promises'
import { createRequire, flushCompileCache, syncBuiltinESMExports } from 'node:module'
import { Collection } from 'mongodb'

type Method = (this: unknown, ...args: unknown[]) => Promise<unknown>
type Methods = Record<string, Method>

/** An order of the parent: kill yourself after the nth write from now on, or stop after each. */
export type Order = { killAfter: number } | 'stop after each'

/** One byte is written to it before each stop. */
const stopChannel = 4

const readerCode = process.env['TEST_READER_CODE'] as string

let order: Order | null = null

function countStep(): void {
  if (order === 'stop after each') {
    writeSync(stopChannel, '.')
    process.kill(process.pid, 'SIGSTOP')
  } else if (order !== null) {
    order.killAfter -= 1
    if (order.killAfter === 0) process.kill(process.pid, 'SIGKILL')
  }
}

/** A completed call of a counted method. */
interface CompletedCall {
  target: unknown
  name: string
  args: unknown[]
  result: unknown
}

/** Counts completed calls of some methods as steps. */
function countCalls(methods: Methods, names: readonly string[], isStep: (call: CompletedCall) => boolean): void {
  for (const name of names) {
    const original = methods[name]
    if (!original) throw new Error(`there is no ${name}`)
    methods[name] = async function counted(...args) {
      const result = await original.apply(this, args)
      if (isStep({ target: this, name, args, result })) countStep()
      return result
    }
  }
}

/** True if the first argument is not a path of the compiled code. */
function isInLibrary({ args: [path] }: CompletedCall): boolean {
  return !String(path).startsWith(readerCode)
}

/** True if a store command changed anything. */
function changedAnything({ result }: CompletedCall): boolean {
  if (typeof result !== 'object' || result === null) return false
  const { matchedCount = 1, upsertedCount = 0, deletedCount = 1 } = result as Record<string, number>
  return (matchedCount > 0 || upsertedCount > 0) && deletedCount > 0
}

/** The last update of each document of a collection, without times. */
const lastUpdates = new Map<string, Map<string, string>>()

/** True for an update that equals the last change of its document except for times, such as the renewal of a lease. */
function isRenewal({ target, name, args }: CompletedCall): boolean {
  const { namespace } = target as Collection
  if (name !== 'updateOne') {
    lastUpdates.delete(namespace)
    return false
  }
  const [filter, update] = args as [Record<string, unknown>, unknown]
  const updates = lastUpdates.get(namespace) ?? new Map<string, string>()
  lastUpdates.set(namespace, updates)
  const [document, change] = [withoutTimes(filter['_id'] ?? filter), withoutTimes([filter, update])]
  const isSame = updates.get(document) === change
  updates.set(document, change)
  return isSame
}

function withoutTimes(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, key, shown: unknown) {
    return this[key] instanceof Date ? 'a time' : shown
  })
}

const insertAndUpdateMethods = ['insertOne', 'insertMany', 'updateOne', 'updateMany', 'replaceOne', 'bulkWrite']
const deleteMethods = ['deleteOne', 'deleteMany', 'findOneAndUpdate', 'findOneAndDelete']
const storeMethods = [...insertAndUpdateMethods, ...deleteMethods]
countCalls(
  Collection.prototype as unknown as Methods,
  storeMethods,
  (call) => changedAnything(call) && !isRenewal(call),
)

const handle = await fs.open(process.execPath)
// `sync` is not counted, because the writes of a process survive its kill.
countCalls(Object.getPrototypeOf(handle) as Methods, ['writeFile'], () => true)
await handle.close()
// The module object that other modules' imports refer to.
const module = createRequire(import.meta.url)('node:fs/promises') as Methods
countCalls(module, ['link', 'unlink', 'rm', 'mkdir', 'rename'], isInLibrary)
countCalls(module, ['open'], ({ args }) => String(args[1]).includes('w'))
syncBuiltinESMExports()

const { readConfig } = await import('../../src/app/config.ts')
const { createLog } = await import('../../src/app/log.ts')
const { startServer } = await import('../../src/app/start.ts')
const { createCodeCache } = await import('../../src/imports/extract/code-cache.ts')

const config = readConfig(process.env)
const codeCache = createCodeCache(readerCode)
await codeCache.prepare(new Date())
const leaseMs = Number(process.env['TEST_LEASE_MS'])
await startServer(config, createLog(config.logLevel), { leaseMs, readers: { codeCache, spare: false } })
process.on('message', (received: Order) => {
  order = received
  process.send?.('armed')
})
// Ends together with the test that started it.
process.on('disconnect', () => process.exit())
// The kill would lose the compile cache.
flushCompileCache()
process.send?.('ready')
