import { request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createTemporaryFolder } from '../support/extraction.ts'
import { showText, writePdf } from '../support/pdf.ts'
import { giveReaderCode } from '../support/reader-code.ts'
import { runLectern, runLecternProcess } from '../support/run-lectern.ts'
import { startProcess, type ServerProcess } from '../support/server-process.ts'
import { addFile, waitForJobEnd, findListedItem, readPageTexts, reserveUpload } from '../support/uploads.ts'

/** An account on the store of a running server. */
async function person(directory: string): Promise<{ key: string }> {
  const environment = { LECTERN_DATA_DIR: directory }
  const email = 'reader@lectern.example'
  await runLectern(['user', 'create', '--email', email, '--json'], environment)
  const { json } = await runLectern(['key', 'create', '--email', email, '--json'], environment)
  return { key: json.key }
}

/** A short lease, so that the job of a killed worker is soon free; ms. */
const leaseMs = '2000'

const lines = 'It was the best of times, it was the worst of times, it was the age of wisdom. '

const longPages = 800

/** A book that takes some seconds to read. */
function longBook(): Uint8Array {
  const content = Array.from({ length: 40 }, (_, n) => showText(lines, { x: 72, y: 740 - n * 16 })).join('')
  return writePdf({
    pages: Array.from({ length: longPages }, () => ({ content })),
    compress: true,
    info: '/Title (Times)',
  })
}

/** Waits until a worker has claimed the job. */
async function untilRunning(server: ServerProcess, { key }: { key: string }, jobId: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${server.baseUrl}/api/v1/jobs/${jobId}`, {
      headers: { Authorization: `Bearer ${key}` },
    })
    const { job } = (await answer.json()) as { job: { status: string } }
    if (job.status !== 'PENDING') return expect(job.status).toBe('RUNNING')
    await delay(20)
  }
}

describe('SIGTERM', () => {
  test('completes a running request, accepts no new one, and exits with 0', async () => {
    const directory = await createTemporaryFolder()
    await giveReaderCode(directory)
    const server = await startProcess(directory)
    const owner = await person(directory)
    const bytes = Buffer.from('# One\n\nwhales\n')
    const upload = await reserveUpload(server, owner, { filename: 'a.md', bytes })
    const answered = new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'Content-Type': 'text/markdown', 'Content-Length': bytes.length }
      const sending = request(upload.uploadUrl, { method: 'PUT', headers }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      sending.on('error', reject)
      sending.write(bytes.subarray(0, 5))
      void (async () => {
        await delay(300)
        server.child.kill('SIGTERM')
        await refused(server)
        sending.end(bytes.subarray(5))
      })().catch(reject)
    })
    expect(await answered).toBe(200)
    expect(await server.exited).toBe(0)
    expect(server.output()).not.toMatch(/"level":"(?:warn|error)"/)
  })

  test('releases a running job; the next start finishes it', { timeout: 120_000 }, async () => {
    const directory = await createTemporaryFolder()
    await giveReaderCode(directory)
    const first = await startProcess(directory)
    const owner = await person(directory)
    const { itemId, jobId } = await addFile(first, owner, { filename: 'times.pdf', bytes: longBook() })
    await untilRunning(first, owner, jobId)
    first.child.kill('SIGTERM')
    expect(await first.exited).toBe(0)
    const second = await startProcess(directory)
    expect(await waitForJobEnd(second, owner, jobId, 90_000)).toMatchObject({ status: 'SUCCEEDED', attempts: 1 })
    expect(await findListedItem(second, owner, itemId)).toMatchObject({
      title: 'Times',
      health: 'ok',
      pageCount: longPages,
    })
    second.child.kill('SIGTERM')
    expect(await second.exited).toBe(0)
    const { code, json } = await runLecternProcess(['doctor', '--deep', '--json'], { LECTERN_DATA_DIR: directory })
    expect([code, json.checks.filter(({ ok }: { ok: boolean }) => !ok)]).toEqual([0, []])
  })
})

/** Waits until the server accepts no connections any more. */
async function refused({ baseUrl }: ServerProcess): Promise<void> {
  while (await fetch(`${baseUrl}/healthz`, { headers: { Connection: 'close' } }).catch(() => null)) await delay(20)
}

describe('two processes on one store', () => {
  test('share the imports; each runs once', { timeout: 120_000 }, async () => {
    const directory = await createTemporaryFolder()
    await giveReaderCode(directory)
    const first = await startProcess(directory)
    const second = await startProcess(directory, { LECTERN_ROLE: 'worker' })
    const owner = await person(directory)
    const added: { itemId: string; jobId: string }[] = []
    for (let n = 0; n < 12; n += 1) {
      const server = n % 2 === 0 ? first : second
      const bytes = Buffer.from(`# Book ${n}\n\nwhales\n# Second\n\nships\n`)
      added.push(await addFile(server, owner, { filename: `book ${n}.md`, bytes }))
    }
    for (const { itemId, jobId } of added) {
      expect(await waitForJobEnd(first, owner, jobId)).toMatchObject({ status: 'SUCCEEDED', attempts: 1 })
      expect(await readPageTexts(second, owner, itemId)).toHaveLength(2)
    }
    const { json } = await runLectern(['doctor', '--deep', '--json'], { LECTERN_DATA_DIR: directory })
    expect(json.checks.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([])
  })

  test('recover: one takes over what a killed one has left', { timeout: 120_000 }, async () => {
    const directory = await createTemporaryFolder()
    await giveReaderCode(directory)
    const web = await startProcess(directory, { LECTERN_ROLE: 'web' })
    const owner = await person(directory)
    const doomed = await startProcess(directory, { LECTERN_ROLE: 'worker', leaseMs })
    const { itemId, jobId } = await addFile(web, owner, { filename: 'times.pdf', bytes: longBook() })
    await untilRunning(web, owner, jobId)
    doomed.child.kill('SIGKILL')
    await doomed.exited
    await startProcess(directory, { LECTERN_ROLE: 'worker', leaseMs })
    expect(await waitForJobEnd(web, owner, jobId, 100_000)).toMatchObject({ status: 'SUCCEEDED', attempts: 2 })
    expect(await findListedItem(web, owner, itemId)).toMatchObject({ health: 'ok', pageCount: longPages })
  })
})
