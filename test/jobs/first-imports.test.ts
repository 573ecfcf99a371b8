import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Extractor } from '../../src/imports/extract/extractor.ts'
import { shareExtractor } from '../support/shared-extractor.ts'
import { smallBooks } from '../support/small-books.ts'
import { addFile, callOverRest, unwrap, waitForJobEnd } from '../support/uploads.ts'
import { useTestServer } from '../support/use-test-server.ts'

/** The accounts whose files are not read before their jobs are cancelled. */
const stuck = new Set<string>()

const server = useTestServer({}, { extractor: createExtractorThatSticks() })

function createExtractorThatSticks(): Extractor {
  const shared = shareExtractor()
  return {
    ...shared,
    extract: (job, sink) =>
      stuck.has(job.accountId) && job.signal
        ? new Promise((_, reject) => job.signal?.addEventListener('abort', () => reject(job.signal?.reason as Error)))
        : shared.extract(job, sink),
  }
}

test('however many files of an account take long, the books of another account are imported', async () => {
  const greedy = await server.createPerson()
  const other = await server.createPerson()
  stuck.add(greedy.id)
  const { jobs } = server.running.opened.services
  const pdf = await smallBooks.pdf()
  // Of all sizes, so that some may overtake others.
  const fileOf = (number: number, bytes: number) => ({
    filename: `${number}.pdf`,
    bytes: Buffer.concat([pdf, Buffer.from(`%${'x'.repeat(bytes)}`)]),
  })
  const held: string[] = []
  const add = async (number: number, bytes: number) => {
    held.push((await addFile(server, greedy, fileOf(number, bytes))).jobId)
  }
  const runningOf = async ({ id }: { id: string }) =>
    (await jobs.listRunning()).filter(({ accountId }) => accountId === id).length
  await add(1, 500_000)
  await add(2, 500_001)
  while ((await runningOf(greedy)) < 2) await delay(20)
  await add(3, 50_000)
  while ((await runningOf(greedy)) < 3) await delay(20)
  for (let number = 4; number < 8; number++) await add(number, number)
  for (let number = 8; number < 10; number++) {
    const { jobId } = await addFile(server, other, fileOf(number, 900_000))
    expect((await waitForJobEnd(server, other, jobId)).status).toBe('SUCCEEDED')
  }
  expect(await runningOf(greedy)).toBe(3)
  for (const jobId of held.toReversed()) unwrap(await callOverRest(server, greedy, 'cancel_job', { jobId }))
  while ((await runningOf(greedy)) > 0) await delay(20)
})
