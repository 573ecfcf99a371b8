import { mkdirSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import { readUrl } from './protocol/address.ts'
import { answersPing } from './protocol/probe.ts'
import { countChanges } from './storage/changes.ts'
import type { FileSnapshot } from './snapshot.ts'
import type { FromWorker, ToWorker } from './worker.ts'

export type EmbeddedStore = {
  /** For `MongoClient`. */
  url: string
  /** How often a collection of a database (`database.collection`), or a document of it, has changed; see `storage/changes.ts`. */
  countChanges(ns: string, id?: string): number
  /** Ends running commands, moves the write-ahead log into the file and frees the directory. */
  stop(): Promise<void>
}

/** Threads whose stores have stopped, which wait for the next store of this process: starting one costs more than a store. */
const parked: Worker[] = []
const maxParked = 4

/** Starts the embedded store on a directory, in a worker thread; throws when another process has the directory. */
export async function startEmbeddedStore(options: {
  directory: string
  /** Receives defects and broken connections; without it they are not reported. */
  log?: (message: string) => void
}): Promise<EmbeddedStore> {
  const directory = resolve(options.directory)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const worker = takeThread()
  const stopped = Promise.withResolvers<void>()
  const ready = Promise.withResolvers<{ ready: string; changes: SharedArrayBuffer }>()
  worker.on('message', (message: FromWorker) => {
    if ('ready' in message) ready.resolve(message)
    else if ('failed' in message) ready.reject(new Error(message.failed))
    else if ('stopped' in message) stopped.resolve()
    else options.log?.(message.log)
  })
  worker.once('error', ready.reject)
  send(worker, { open: directory })
  try {
    const { ready: url, changes } = await ready.promise
    const counts = new Int32Array(changes)
    // From here on an error of the thread is uncaught and ends the process, which cannot work without its store.
    worker.off('error', ready.reject)
    worker.once('exit', () => stopped.resolve())
    return {
      url,
      countChanges: (ns, id) => countChanges(counts, ns, id),
      stop: () => stop(worker, stopped.promise),
    }
  } catch (error) {
    await worker.terminate()
    throw error
  }
}

function takeThread(): Worker {
  const worker = parked.pop()
  // A thread that has ended has no id.
  if (worker === undefined || worker.threadId === -1)
    // `.ts` in a clone, `.js` where the sources were compiled.
    return new Worker(new URL(`./worker${extname(import.meta.url)}`, import.meta.url), { name: 'store' })
  worker.ref()
  return worker
}

async function stop(worker: Worker, stopped: Promise<void>): Promise<void> {
  send(worker, 'stop')
  await stopped
  for (const event of ['message', 'exit']) worker.removeAllListeners(event)
  // The process need not wait for a thread without a store.
  worker.unref()
  if (worker.threadId === -1 || parked.length === maxParked) await worker.terminate()
  else parked.push(worker)
}

function send(worker: Worker, message: ToWorker): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  worker.postMessage(message)
}

/** The URL of the store that is running on this directory, in whatever process; null when none answers. */
export async function findEmbeddedStore(directory: string): Promise<string | null> {
  const url = readUrl(resolve(directory))
  return url !== undefined && (await answersPing(url)) ? url : null
}

/** True for the error of `startEmbeddedStore` when another process has the directory, which may be starting itself. */
export function isDirectoryInUse(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('The data directory is in use by another process')
}

/** See `openFileSnapshot`; the store of the directory runs, in whatever process. */
export async function openStoreSnapshot(directory: string, database: string): Promise<FileSnapshot> {
  // Imported lazily: it opens the file in this thread, which a server does not.
  const { openFileSnapshot } = await import('./snapshot.ts')
  return openFileSnapshot(resolve(directory), database)
}
