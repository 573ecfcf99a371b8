import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import { readUrl } from './protocol/address.ts'
import { answersPing } from './protocol/probe.ts'
import type { FromWorker } from './worker.ts'

export type EmbeddedStore = {
  /** For `MongoClient`. */
  url: string
  /** Ends running commands, moves the write-ahead log into the file and frees the directory. */
  stop(): Promise<void>
}

/** Starts the embedded store on a directory, in a worker thread; throws when another process has the directory. */
export async function startEmbeddedStore(options: {
  directory: string
  /** Receives defects and broken connections; without it they are not reported. */
  log?: (message: string) => void
}): Promise<EmbeddedStore> {
  const directory = resolve(options.directory)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: { directory }, name: 'store' })
  const stopped = Promise.withResolvers<void>()
  const ready = Promise.withResolvers<string>()
  worker.on('message', (message: FromWorker) => {
    if ('ready' in message) ready.resolve(message.ready)
    else if ('failed' in message) ready.reject(new Error(message.failed))
    else if ('stopped' in message) stopped.resolve()
    else options.log?.(message.log)
  })
  worker.once('error', ready.reject)
  try {
    const url = await ready.promise
    // From here on an error of the thread is uncaught and ends the process, which cannot work without its store.
    worker.off('error', ready.reject)
    worker.once('exit', () => stopped.resolve())
    return { url, stop: () => stop(worker, stopped.promise) }
  } catch (error) {
    await worker.terminate()
    throw error
  }
}

async function stop(worker: Worker, stopped: Promise<void>): Promise<void> {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  worker.postMessage('stop')
  await stopped
  await worker.terminate()
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
