import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Log } from '../../src/core/context.ts'
import { startEmbedding } from '../../src/embeddings/worker.ts'
import { defaultTimes, startRecognition } from '../../src/imports/ocr/recognition-worker.ts'
import { startWorkers } from '../../src/jobs/workers.ts'
import { sweep } from '../../src/maintenance/sweep.ts'
import { createManualWorker } from '../support/manual-worker.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

const full = Object.assign(new Error('database or disk is full'), { name: 'MongoServerError', code: 14_031 })

/** A log that counts the warnings with a text. */
function countWarnings(text: string) {
  const warnings: object[] = []
  const nothing = () => undefined
  const warn = (fields: object, message: string) => void (message.includes(text) && warnings.push(fields))
  return { warnings, log: { debug: nothing, info: nothing, warn, error: nothing } satisfies Log }
}

/** Services whose every use fails with an error, and the number of their uses. */
function failingServices(log: Log, error: Error = full) {
  let uses = 0
  const fail = () => {
    uses++
    throw error
  }
  const failing = new Proxy({}, { get: () => fail })
  const working: Record<string | symbol, unknown> = { log, now: () => new Date(), embedder: { waitMs: fail } }
  const services = new Proxy(working, { get: (_, name) => working[name] ?? failing })
  return { services: services as never, uses: () => uses }
}

test('a queue whose disk is full is reported once a minute, not at each look for jobs', async () => {
  const { warnings, log } = countWarnings('queue error')
  const { jobQueue } = server.running.opened
  const workers = await startWorkers({
    jobQueue,
    services: { ...createManualWorker(server).services, ...server.running.opened.services, log },
    concurrency: { layout: 1, text: 1, short: 1, first: 1 },
    sweepIntervalMs: 60_000,
    cleanupIntervalMs: 60_000,
    backUpIfDue: null,
    migrate: async () => undefined,
  })
  for (let n = 0; n < 5; n++) jobQueue.agenda.emit('error', full)
  expect(warnings).toEqual([{ err: full, count: 1 }])
  await workers.stop(1000)
})

test.for([
  ['text recognition', (services: never) => startRecognition(services, { ...defaultTimes, pollIntervalMs: 1 })],
  [
    'embedding of pages',
    (services: never) =>
      startEmbedding(services, { sliceMs: 1, leaseMs: 1000, retryMs: 1, pollIntervalMs: 1, surveyMs: 1 }),
  ],
] as const)('%s that fails again and again is reported once a minute', async ([name, start]) => {
  const { warnings, log } = countWarnings(`${name} interrupted`)
  const { services, uses } = failingServices(log)
  const worker = start(services)
  while (uses() < 20) await delay(1)
  await worker.stop()
  expect(warnings).toEqual([{ err: full, count: 1 }])
})

test.for([
  ['does not answer', 'MongoServerSelectionError', (lines: number) => lines === 1],
  ['refuses one command', 'MongoServerError', (lines: number) => lines > 1],
] as const)('a sweep whose database %s logs the steps that failed', async ([, name, isRight]) => {
  const { warnings, log } = countWarnings('sweep step failed')
  const { services } = failingServices(log, Object.assign(new Error('failed'), { name }))
  await sweep(services)
  expect(warnings).toSatisfy(({ length }) => isRight(length))
})
