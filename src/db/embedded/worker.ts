import { parentPort } from 'node:worker_threads'
import { runStore, type RunningStore } from './store.ts'

/** Messages from the parent to the thread: open a store or stop it. After a stop, another store may be opened. */
export type ToWorker = { open: string } | 'stop'
/** Messages from the thread to its parent. */
export type FromWorker =
  | { ready: string; changes: SharedArrayBuffer }
  | { failed: string }
  | { log: string }
  | { stopped: true }

const parent = parentPort
if (!parent) throw new Error('worker.ts runs in a worker thread')
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
const post = (message: FromWorker) => parent.postMessage(message)
const describe = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error))

let store: RunningStore | null = null

parent.on('message', (message: ToWorker) => void (message === 'stop' ? stop() : open(message.open)))

async function open(directory: string): Promise<void> {
  try {
    store = await runStore(directory, (error) => post({ log: describe(error) }))
    post({ ready: store.url, changes: store.changes })
  } catch (error) {
    post({ failed: error instanceof Error ? error.message : String(error) })
  }
}

async function stop(): Promise<void> {
  await store?.stop()
  store = null
  post({ stopped: true })
}
