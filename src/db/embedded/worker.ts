import { parentPort, workerData } from 'node:worker_threads'
import { runStore } from './store.ts'

/** What the thread tells its parent. */
export type FromWorker = { ready: string } | { failed: string } | { log: string } | { stopped: true }

const parent = parentPort
if (!parent) throw new Error('worker.ts runs in a worker thread')
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
const tell = (message: FromWorker) => parent.postMessage(message)
const describe = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error))

try {
  const store = await runStore(String(workerData.directory), (error) => tell({ log: describe(error) }))
  parent.once('message', async () => {
    await store.stop()
    tell({ stopped: true })
  })
  tell({ ready: store.url })
} catch (error) {
  tell({ failed: error instanceof Error ? error.message : String(error) })
}
