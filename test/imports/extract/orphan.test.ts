import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { endsWithServer } from '../../../src/imports/extract/confinement.ts'
import { isAlive, createTemporaryFolder } from '../../support/extraction.ts'

const server = fileURLToPath(new URL('../../support/extracting-server.ts', import.meta.url))
const formatModule = new URL('../../support/scripted-format.ts', import.meta.url).href

test.for([
  ['waiting', 'wait for ever'],
  // The libraries for PDFs and pictures may keep the processor for minutes, in which a process notices nothing.
  ...(endsWithServer().length > 0 ? ([['busy', 'spin']] as const) : []),
] as const)('reading processes, %s or spare, exit when the server is killed', async ([, step]) => {
  const path = join(await createTemporaryFolder(), 'book.json')
  await writeFile(path, JSON.stringify({ steps: [{ do: 'pages', count: 1 }, { do: step }] }))
  const parent = spawn(process.execPath, [server, path, formatModule], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void parent.kill('SIGKILL'))
  const [line] = await once(createInterface(parent.stdout), 'line')
  const pids: number[] = JSON.parse(line)
  expect(pids).toHaveLength(2)
  expect(pids.every(isAlive)).toBe(true)
  parent.kill('SIGKILL')
  await expect.poll(() => pids.filter(isAlive), { timeout: 15_000 }).toEqual([])
})

test.runIf(process.platform === 'linux').for([0, 4, 17])(
  'reading processes of a server with nice value +%i have a nice value five higher, at most 19',
  async (more) => {
    const path = join(await createTemporaryFolder(), 'book.json')
    await writeFile(path, JSON.stringify({ steps: [{ do: 'pages', count: 1 }, { do: 'wait for ever' }] }))
    const own = [process.execPath, server, path, formatModule]
    const parent = spawn('nice', ['-n', String(more), ...own], { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void parent.kill('SIGKILL'))
    const [line] = await once(createInterface(parent.stdout), 'line')
    const pids: number[] = JSON.parse(line)
    const expected = Math.min(19, Math.min(19, getPriority() + more) + 5)
    expect(pids.map((pid) => getPriority(pid))).toEqual(pids.map(() => expected))
  },
)

test.for([
  ['exits after closing its extractor', 'await extractor.close(); console.log("closed")', 'closed\n'],
  ['exits although a process is idle', 'console.log("open")', 'open\n'],
] as const)('a program that read a book %s', async ([, last, output]) => {
  const path = join(await createTemporaryFolder(), 'book.md')
  await writeFile(path, '# One')
  const supervisor = new URL('../../../src/imports/extract/create-extractor.ts', import.meta.url).href
  const program = `
    import { createExtractor } from ${JSON.stringify(supervisor)}
    const extractor = createExtractor()
    const job = { path: ${JSON.stringify(path)}, sourceType: 'markdown', accountId: 'reader' }
    await extractor.extract(job, { onInfo() {}, async onPages() {} })
    ${last}`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
  expect(stdout).toBe(output)
})
