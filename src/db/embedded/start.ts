import { mkdirSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import { readUrl } from './protocol/address.ts'
import { answersPing } from './protocol/probe.ts'
import { countChanges } from './storage/changes.ts'
import type { FileSnapshot } from './snapshot.ts'
import type { FromWorker, ToWorker } from './worker.ts'

export type EmbeddedStore = {
  /** The connection URL for `MongoClient`. */
  url: string
  /** The number of changes of a collection (`database.collection`) or of one of its documents; see `storage/changes.ts`. */
  countChanges(ns: string, id?: string): number
  /** Waits for running commands, checkpoints the write-ahead log and releases the directory. */
  stop(): Promise<void>
}

/**
 * Idle worker threads. The next store of this process reuses one, because starting a thread costs more than opening a
 * store.
 */
const parked: Worker[] = []
const maxParked = 4

/** Starts the embedded store of a directory in a worker thread; throws if another process uses the directory. */
export async function startEmbeddedStore(options: {
  directory: string
  /** Receives defects and broken connections; by default they are ignored. */
  log?: (message: string) => void
}): Promise<EmbeddedStore> {
  const directory = resolve(options.directory)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const worker = startThread()
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
    // From here on, an error of the thread is uncaught and ends the process, which cannot work without its store.
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

function startThread(): Worker {
  const worker = parked.pop()
  // The id of an ended thread is -1.
  if (worker === undefined || worker.threadId === -1)
    // `.ts` in a clone, `.js` in a compiled package.
    return new Worker(new URL(`./worker${extname(import.meta.url)}`, import.meta.url), { name: 'store' })
  worker.ref()
  return worker
}

async function stop(worker: Worker, stopped: Promise<void>): Promise<void> {
  send(worker, 'stop')
  await stopped
  for (const event of ['message', 'exit']) worker.removeAllListeners(event)
  // An idle thread must not keep the process alive.
  worker.unref()
  if (worker.threadId === -1 || parked.length === maxParked) await worker.terminate()
  else parked.push(worker)
}

function send(worker: Worker, message: ToWorker): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  worker.postMessage(message)
}

/** The URL of the store that runs on this directory, in any process; null if none answers. */
export async function findEmbeddedStore(directory: string): Promise<string | null> {
  const url = readUrl(resolve(directory))
  return url !== undefined && (await answersPing(url)) ? url : null
}

/** True if `startEmbeddedStore` failed because another process, which may be starting itself, uses the directory. */
export function isDirectoryInUse(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('The data directory is in use by another process')
}

/** Opens a snapshot (see `openFileSnapshot`) while the store of the directory runs, in any process. */
export async function openStoreSnapshot(directory: string, database: string): Promise<FileSnapshot> {
  // Imported lazily, because only this function opens the file in this thread.
  const { openFileSnapshot } = await import('./snapshot.ts')
  return openFileSnapshot(resolve(directory), database)
}

/** True if a store could not be started because the disk is full. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && error.message === 'database or disk is full' // SQLITE_FULL
}
