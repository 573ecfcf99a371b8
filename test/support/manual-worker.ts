import { onTestFinished } from 'vitest'
import { runImport, type ImportServices } from '../../src/imports/run-import.ts'
import { createLog } from '../../src/app/log.ts'
import type { Script } from './scripted-format.ts'
import type { Person, TestServer } from './server.ts'
import { sharedExtractors } from './shared-extractor.ts'
import { addFile } from './uploads.ts'

/** Short, so that a test does not wait long until a worker counts as dead, ms. */
export const leaseMs = 300

const shareScriptedExtractor = sharedExtractors({
  formatModule: new URL('scripted-format.ts', import.meta.url).href,
})

/** A worker that runs only the jobs it is told to; on a server with the role `web` it is the only one. */
export interface ManualWorker {
  services: ImportServices
  /** `change` replaces some of the worker's services, such as a store that stalls or fails during the run. */
  run(jobId: string, change?: Partial<ImportServices>): Promise<void>
  /** Stops like a process does, ending its extractions. */
  stop(): Promise<void>
}

/** A worker whose books are scripts; it is stopped after the test. */
export function createManualWorker(server: TestServer): ManualWorker {
  const extractor = shareScriptedExtractor()
  onTestFinished(() => extractor.close())
  const services = { ...server.running.opened.services, extractor, log: createLog('silent'), leaseDurationMs: leaseMs }
  return {
    services,
    run: (jobId, change) => runImport({ ...services, ...change }, jobId),
    stop: () => extractor.close(),
  }
}

let scriptCount = 0

/** Uploads a script as a book with unique bytes; its job stays waiting. */
export function uploadScript(server: TestServer, person: Person, script: Script, filename = 'script.md') {
  const bytes = Buffer.from(JSON.stringify({ ...script, number: (scriptCount += 1) }))
  return addFile(server, person, { filename, bytes })
}

/** A barrier that blocks callers until it is opened. */
export function createBarrier() {
  const release = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<void>()
  let hasArrived = false
  return {
    /** Resolves when a caller reaches it. */
    arrived: arrived.promise,
    taken: () => hasArrived,
    open: release.resolve,
    pass(): Promise<void> {
      hasArrived = true
      arrived.resolve()
      return release.promise
    },
  }
}
