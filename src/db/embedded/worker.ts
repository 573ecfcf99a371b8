import { parentPort, workerData } from 'node:worker_threads'
import { runStore } from './store.ts'

/** The messages of the thread to its parent. */
export type FromWorker = { ready: string } | { failed: string } | { log: string } | { stopped: true }

const parent = parentPort
if (!parent) throw new Error('worker.ts runs in a worker thread')
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
const post = (message: FromWorker) => parent.postMessage(message)
const describe = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error))

try {
  const store = await runStore(String(workerData.directory), (error) => post({ log: describe(error) }))
  parent.once('message', () => void store.stop().then(() => post({ stopped: true })))
  post({ ready: store.url })
} catch (error) {
  post({ failed: error instanceof Error ? error.message : String(error) })
}
