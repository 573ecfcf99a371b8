import { onTestFinished } from 'vitest'
import { createExtractor } from '../../src/imports/extract/create-extractor.ts'
import { runImport, type ImportServices } from '../../src/imports/run-import.ts'
import { createLog } from '../../src/app/log.ts'
import type { Script } from './scripted-format.ts'
import type { Person, TestServer } from './server.ts'
import { addFile } from './uploads.ts'

/** Short, so that a test need not wait long for a worker to count as dead. */
export const leaseMs = 300

const formatModule = new URL('scripted-format.ts', import.meta.url).href

/** A worker that runs only the jobs it is told to; on a server with the role `web` it is the only one. */
export interface Worker {
  services: ImportServices
  /** `change` replaces parts of what the worker uses: a store that stalls or fails under its hands. */
  run(jobId: string, change?: Partial<ImportServices>): Promise<void>
  /** Ends its reading processes, as a process does that stops. */
  stop(): Promise<void>
}

/** A worker whose books are scripts; stopped when the test is over. */
export function handWorker(server: TestServer): Worker {
  const extractor = createExtractor({ spare: false, formatModule })
  onTestFinished(() => extractor.close())
  const services = { ...server.running.open.services, extractor, log: createLog('silent'), leaseMs }
  return {
    services,
    run: (jobId, change) => runImport({ ...services, ...change }, jobId),
    stop: () => extractor.close(),
  }
}

let scripts = 0

/** Uploads a script as a book, no two of them the same; its job waits. */
export function addScript(server: TestServer, person: Person, script: Script) {
  const bytes = Buffer.from(JSON.stringify({ ...script, number: (scripts += 1) }))
  return addFile(server, person, { filename: 'script.md', bytes })
}

/** A gate that holds up whoever passes until it is opened. */
export function gate() {
  const opened = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<void>()
  let taken = false
  return {
    /** Resolves when somebody stands before it. */
    arrived: arrived.promise,
    taken: () => taken,
    open: opened.resolve,
    pass(): Promise<void> {
      taken = true
      arrived.resolve()
      return opened.promise
    },
  }
}
