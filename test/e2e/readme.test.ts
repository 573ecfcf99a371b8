import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { showText, writePdf } from '../support/pdf.ts'
import { freePort } from '../support/server.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Returns the shell blocks of the README's first screen, with the port and the file name of this test. */
async function firstScreen(port: number, file: string): Promise<string[]> {
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  const blocks = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block as string)
  return blocks.slice(0, 3).map((block) => block.replaceAll(':3000', `:${port}`).replaceAll('book.pdf', file))
}

/** Starts the server as the README describes and waits for its welcome message. */
async function startAsWritten(start: string, env: Record<string, string | undefined>, directory: string) {
  expect(start).toBe('npm ci && npm start\n')
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
  return welcome
}

test('the first commands of the README start Lectern, add a book and read it over MCP and REST, twice', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'lectern-readme-'))
  const port = await freePort()
  const env = {
    ...process.env,
    PORT: String(port),
    LECTERN_DATA_DIR: join(directory, 'data'),
    LECTERN_LOG_LEVEL: 'warn',
  }
  const [start = ''] = await firstScreen(port, '')
  const welcome = await startAsWritten(start, env, directory)
  expect(welcome).toContain(`Lectern is ready at http://localhost:${port}`)
  expect(welcome).toContain('There is no account yet')

  /** Runs the second and third block unchanged, with a file, in a folder of the installation. */
  const runScreen = async (file: string, cwd: string) => {
    const [, agent, rest] = await firstScreen(port, file)
    const script = `${agent}\necho ----$BOOK----\n${rest}`
    const { stdout, stderr } = await promisify(execFile)('bash', ['-euc', script], { cwd, env })
    const [ofCommands = '', book = '', overRest = ''] = stdout.split('----')
    const [account = '', ...overMcp] = ofCommands.split('\n')
    return { account, book, overMcp: overMcp.join('\n'), overRest, stderr }
  }
  const pages = ['first', 'second', 'third', 'fourth'].map((ordinal) => ({
    content: showText(`Here begins the ${ordinal} page of the book.`, { x: 72, y: 700 }),
  }))
  await writeFile(join(directory, 'book.pdf'), writePdf({ pages }))
  await writeFile(join(directory, 'scan.pdf'), writePdf({ pages: [{ content: 'q 500 0 0 700 0 0 cm Q' }] }))

  const first = await runScreen(join(directory, 'book.pdf'), root)
  expect(first.book).toMatch(/^[a-z0-9]{26}$/)
  expect(first.account).toMatch(/^[a-z0-9]{26}$/)
  for (const ordinal of ['first', 'second', 'third']) {
    expect(first.overMcp).toContain(`the ${ordinal} page`)
    expect(first.overRest).toContain(`the ${ordinal} page`)
  }
  expect(first.overMcp + first.overRest).not.toContain('fourth')
  expect(JSON.parse(first.overRest).items[0].pages).toHaveLength(3)

  const cwd = join(root, 'docs')
  const second = await runScreen(relative(cwd, join(directory, 'book.pdf')), cwd)
  expect({ ...second, stderr: '' }).toEqual({ ...first, stderr: '' })
  expect(second.stderr).toMatch(/^There is an account for you@example\.com already/m)
  expect(second.stderr).toMatch(/^The library already has this file, as ".*" \(4 pages\)\.$/m)

  const scan = await runScreen(join(directory, 'scan.pdf'), root)
  expect(scan.book).toMatch(/^[a-z0-9]{26}$/)
  expect(scan.book).not.toBe(first.book)
  expect(scan.stderr).toMatch(/^scan, 1 page\n.*(upload the result|upload it again)\.$/m)
}, 240_000)
