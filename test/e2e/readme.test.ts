import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { showText, writePdf } from '../support/pdf.ts'
import { freePort } from '../support/server.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The shell blocks of the README's first screen, with the port and the file name of this test in them. */
async function firstScreen(port: number, file: string): Promise<string[]> {
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  const blocks = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block as string)
  return blocks.slice(0, 3).map((block) => block.replaceAll(':3000', `:${port}`).replaceAll('book.pdf', file))
}

test('the first screen of the README starts Lectern, adds a book and reads it over MCP and REST', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'lectern-readme-'))
  const file = join(directory, 'book.pdf')
  const pages = ['first', 'second', 'third', 'fourth'].map((ordinal) => ({
    content: showText(`Here begins the ${ordinal} page of the book.`, { x: 72, y: 700 }),
  }))
  await writeFile(file, writePdf({ pages }))
  const port = await freePort()
  const [start, agent, rest] = await firstScreen(port, file)
  expect(start).toBe('npm ci && npm start\n')
  const env = {
    ...process.env,
    PORT: String(port),
    LECTERN_DATA_DIR: join(directory, 'data'),
    LECTERN_LOG_LEVEL: 'warn',
  }
  const server = spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  onTestFinished(async () => {
    process.kill(-(server.pid as number), 'SIGTERM')
    await once(server, 'exit')
    await rm(directory, { recursive: true, force: true, maxRetries: 5 })
  })
  let welcome = ''
  for await (const chunk of server.stdout) {
    welcome += chunk
    if (welcome.includes('key create')) break
  }
  expect(welcome).toContain(`Lectern is ready at http://localhost:${port}`)
  expect(welcome).toContain('There is no account yet')

  const { stdout } = await promisify(execFile)('bash', ['-euc', `${agent}\necho ----\n${rest}`], { cwd: root, env })
  const [overMcp = '', overRest = ''] = stdout.split('----\n')
  for (const ordinal of ['first', 'second', 'third']) {
    expect(overMcp).toContain(`the ${ordinal} page`)
    expect(overRest).toContain(`the ${ordinal} page`)
  }
  expect(stdout).not.toContain('fourth')
  expect(JSON.parse(overRest).items[0].pages).toHaveLength(3)
}, 120_000)
