import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { childEnvironment } from '../support/child-environment.ts'
import { createTemporaryFolder } from '../support/extraction.ts'
import { giveReaderCode } from '../support/reader-code.ts'
import { runLectern } from '../support/run-lectern.ts'
import { freePort } from '../support/server.ts'

const timeout = 120_000
const program = fileURLToPath(new URL('../../bin/lectern.cjs', import.meta.url))

/** Starts a server as its operator does. Its record of running servers is in the folder `state`. */
async function startServer({ state, data, ...more }: { state: string; data: string } & Record<string, string>) {
  const port = more['PORT'] ?? (await freePort())
  await giveReaderCode(data)
  const env = { ...childEnvironment, XDG_STATE_HOME: state, LECTERN_DATA_DIR: data, LECTERN_LOG_LEVEL: 'warn', ...more }
  const child = spawn(process.execPath, [program, 'start', '--port', String(port)], { env })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  while (!output.includes('Lectern is ready')) {
    if (child.exitCode !== null) throw new Error(output)
    await Promise.race([exited, once(child.stdout, 'data')])
  }
  return { url: `http://localhost:${port}`, child, exited, output: () => output }
}

test.for([
  ['a script of the clone', { npm_package_name: 'lectern', npm_lifecycle_event: 'dev' }, 'npm run --silent lectern --'],
  ['the installed package', {}, 'lectern'],
] as const)('a new server started by %s prints commands that exist there', { timeout }, async ([, env, command]) => {
  const state = await createTemporaryFolder()
  const server = await startServer({ state, data: join(state, 'data'), ...env })
  expect(server.output()).toContain(`\n  ${command} user create `)
})

test(
  'a server on a port that the system has chosen prints the addresses at which it answers',
  { timeout },
  async () => {
    const state = await createTemporaryFolder()
    const server = await startServer({ state, data: join(state, 'data'), PORT: '0' })
    const [, url = ''] = /Lectern is ready at (\S+)/.exec(server.output()) ?? []
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    const link = await runLectern(['setup-link'], { XDG_STATE_HOME: state })
    expect((await fetch(link.stdout.trim())).status).toBe(200)
  },
)

const notesIn = (state: string) => readdir(join(state, 'lectern', 'servers'))

test('a command finds the library and the URL of the running server', { timeout }, async () => {
  const state = await createTemporaryFolder()
  const data = join(state, 'data')
  const server = await startServer({ state, data })
  expect(server.output()).toContain(`  Library        ${data}\n`)
  const link = await runLectern(['setup-link'], { XDG_STATE_HOME: state })
  expect(link).toMatchObject({ code: 0, stderr: 'It works once, within 7 days.\n' })
  expect(link.stdout).toMatch(new RegExp(`^${server.url}/setup\\?token=[^\\s]+\n$`))
  expect((await fetch(link.stdout.trim())).status).toBe(200)

  const made = await runLectern(['user', 'create', '--email', 'ann@lectern.example'], { XDG_STATE_HOME: state })
  expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining(`To choose a password: ${server.url}/`) })
  const again = await runLectern(['setup-link'], { XDG_STATE_HOME: state })
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('The first account exists already.') })

  const second = await startServer({ state, data })
  expect(second.output()).toContain(`Another server uses ${data}: ${server.url} (process ${server.child.pid}).`)
  for (const { child, exited } of [second, server]) {
    child.kill('SIGTERM')
    await exited
  }
  expect(await notesIn(state)).toEqual([])
  const alone = await runLectern(['user', 'list'], { XDG_STATE_HOME: state })
  expect(alone).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no library in ') })
})

test(
  'a command that lacks a secret of the server is refused before it creates another secret',
  { timeout },
  async () => {
    const state = await createTemporaryFolder()
    const data = join(state, 'data')
    const secret = 'a secret of forty characters, not fewer.'
    const server = await startServer({ state, data, LECTERN_SECRET: secret })
    for (const environment of [{}, { LECTERN_DATA_DIR: data }] as Record<string, string>[]) {
      const refused = await runLectern(['user', 'list'], { XDG_STATE_HOME: state, ...environment })
      expect(refused.stderr).toBe(
        `The server at ${server.url} was started with LECTERN_SECRET. Set the same here, so that the command finds the same library.\n`,
      )
      expect(refused.code).toBe(1)
    }
    const listed = await runLectern(['user', 'list'], { XDG_STATE_HOME: state, LECTERN_SECRET: secret })
    expect(listed).toMatchObject({ code: 0, stderr: 'No accounts\n' })
    expect((await notesIn(state)).join()).not.toContain(secret)
  },
)

test('with several running servers, one must be named; ended servers do not count', { timeout }, async () => {
  const state = await createTemporaryFolder()
  const folder = join(state, 'lectern', 'servers')
  await mkdir(folder, { recursive: true })
  const note = (pid: number, name: string) => {
    const noted = {
      pid,
      host: hostname(),
      dataDir: join(state, name),
      baseUrl: `http://${name}`,
      version: '0',
      variables: [],
    }
    return writeFile(join(folder, `${name}.json`), JSON.stringify(noted))
  }
  // The id of this process, and an id that no process has.
  await Promise.all([
    note(process.pid, 'a'),
    note(process.pid, 'b'),
    note(2 ** 30, 'dead'),
    writeFile(join(folder, 'c'), '{'),
  ])
  const listed = await runLectern(['user', 'list'], { XDG_STATE_HOME: state })
  expect(listed.code).toBe(1)
  expect(listed.stderr).toBe(
    `Several servers are running. Choose one with LECTERN_DATA_DIR:\n  ${state}/a (http://a)\n  ${state}/b (http://b)\n`,
  )
  expect((await readdir(folder)).toSorted()).toEqual(['a.json', 'b.json', 'c'])
})
