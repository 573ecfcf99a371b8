import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTemporaryFolder } from '../../support/extraction.ts'
import { proseScan } from '../../support/recognition.ts'
import { runLectern } from '../../support/run-lectern.ts'
import { startProcess, type ServerProcess } from '../../support/server-process.ts'
import { describeWith, tesseractNeed } from '../../support/system-needs.ts'
import { importFile, readPageTexts } from '../../support/uploads.ts'

const pages = 5
const environment = { LECTERN_OCR: 'on', leaseMs: '2000' }

interface State {
  status: string
  pagesDone: number
  pagesRecognised: number
}

describeWith(tesseractNeed)('a worker that is killed while it recognises a book', { timeout: 400_000 }, () => {
  const stateOf = async (server: ServerProcess, owner: { key: string }, itemId: string): Promise<State> => {
    const headers = { Authorization: `Bearer ${owner.key}` }
    const answer = await fetch(`${server.baseUrl}/api/v1/items/${itemId}/recognition`, { headers })
    return (await answer.json()) as State
  }
  const until = async (what: () => Promise<boolean>) => {
    while (!(await what())) await delay(200)
  }
  const childrenOf = (pid: number | undefined) =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)

  test('leaves no process behind, and the next worker continues with the missing pages', async () => {
    const directory = await createTemporaryFolder()
    const server = await startProcess(directory, environment)
    const email = 'reader@lectern.example'
    await runLectern(['user', 'create', '--email', email, '--json'], { LECTERN_DATA_DIR: directory })
    const { json: owner } = await runLectern(['key', 'create', '--email', email, '--json'], {
      LECTERN_DATA_DIR: directory,
    })
    const words = (page: number) => [
      `This is the scanned page with the number ${page} of`,
      'a small book about nothing in particular.',
    ]
    const bytes = await proseScan(Array.from({ length: pages }, (_, at) => words(at + 1)))
    const { itemId } = await importFile(server, owner, { filename: 'scan.pdf', bytes })
    await until(async () => (await stateOf(server, owner, itemId)).pagesDone >= 2)
    const children = childrenOf(server.child.pid)
    server.child.kill('SIGKILL')
    await server.exited
    await until(async () => children.every((pid) => !existsSync(`/proc/${pid}/exe`)))
    const next = await startProcess(directory, environment)
    const { pagesDone } = await stateOf(next, owner, itemId)
    expect(pagesDone).toBeGreaterThanOrEqual(2)
    await until(async () => (await stateOf(next, owner, itemId)).status === 'done')
    expect(await stateOf(next, owner, itemId)).toMatchObject({ pagesDone: pages, pagesRecognised: pages })
    const texts = await readPageTexts(next, owner, itemId)
    expect(texts.map((text) => /number (\d) of a small book/.exec(text)?.[1])).toEqual(['1', '2', '3', '4', '5'])
    next.child.kill('SIGTERM')
    await next.exited
    await runLectern(['doctor'], { LECTERN_DATA_DIR: directory })
  })
})
