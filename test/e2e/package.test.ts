import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { childEnvironment } from '../support/child-environment.ts'
import { createTemporaryFolder } from '../support/extraction.ts'
import { freePort } from '../support/server.ts'
import { smallBookPages, smallBooks } from '../support/small-books.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const parts = [
  'bin',
  'man',
  'src',
  'oauth',
  'tools',
  'packaging',
  'package.json',
  'tsconfig.json',
  'README.md',
  'CHANGELOG.md',
]

let project: string
/** The package where npm installs it: in `node_modules`, next to its dependencies. */
const installed = join(root, 'node_modules', `lectern-packed-${process.pid}`)

/** Packs a copy of the project and unpacks it as npm does, without downloading dependencies. */
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'lectern-project-'))
  for (const part of parts) await cp(join(root, part), join(project, part), { recursive: true })
  await symlink(join(root, 'node_modules'), join(project, 'node_modules'))
  const { stdout } = await run('npm', ['pack', '--silent'], { cwd: project })
  await mkdir(installed)
  await run('tar', ['-xzf', join(project, stdout.trim()), '--strip-components=1', '-C', installed])
}, 240_000)
afterAll(() => Promise.all([project, installed].map((path) => rm(path, { recursive: true, force: true }))))

const lectern = () => join(installed, 'bin/lectern.cjs')

test('the package contains only JavaScript and page assets, and requires Node 24', async () => {
  await expect(readdir(join(project, 'src/admin'))).resolves.not.toContain('main.js')
  await expect(readdir(project)).resolves.not.toContain('bundle')
  const files = await readdir(installed, { recursive: true })
  expect(files.filter((name) => name.endsWith('.ts'))).toEqual([])
  expect(files).toEqual(
    expect.arrayContaining([
      'bundle/main.js',
      'man/lectern.1',
      'src/admin/main.js',
      'src/web/scripts/frame.js',
      'src/http/openapi/examples.json',
      'README.md',
    ]),
  )
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  expect(manifest).toMatchObject({ engines: { node: '>=24' }, bin: { lectern: 'bin/lectern.cjs' } })
  expect(manifest.dependencies).not.toHaveProperty('node')
})

test('the command loads the bundle, and no single modules', async () => {
  const home = await createTemporaryFolder()
  const report = `const { registerHooks } = require('node:module')
    registerHooks({ load(url, context, next) { process.stderr.write(url + '\\n'); return next(url, context) } })`
  const preloaded = join(home, 'report.cjs')
  await writeFile(preloaded, report)
  const { stdout, stderr } = await run(
    process.execPath,
    ['--require', preloaded, lectern(), 'user', 'list', '--help'],
    {
      cwd: home,
      env: { ...childEnvironment, PATH: process.env['PATH'] },
    },
  )
  expect(stdout).toContain('lectern user list')
  expect(stderr).toContain('/bundle/main.js')
  expect(stderr).not.toMatch(new RegExp(`^file:.*/${basename(installed)}/(?:src|oauth|tools)/`, 'm'))
})

test('npm links the command and its manual page', async () => {
  const prefix = await createTemporaryFolder()
  await run('npm', ['install', '--global', '--offline', '--no-audit', '--no-fund', '--prefix', prefix, installed])
  const manual = await readFile(join(prefix, 'share/man/man1/lectern.1'), 'utf8')
  expect(manual).toBe(await readFile(join(root, 'man/lectern.1'), 'utf8'))
  const { stdout } = await run(process.execPath, [join(prefix, 'bin/lectern'), '--version'])
  expect(stdout).toMatch(/^lectern \d/)
})

test('an installed package starts, imports a PDF and answers an agent', { timeout: 120_000 }, async () => {
  const home = await createTemporaryFolder()
  const port = String(await freePort())
  const environment = { ...childEnvironment, PATH: process.env['PATH'], LECTERN_DATA_DIR: join(home, 'library') }
  const options = ['--port', port, '--data-dir', 'library']
  const server = spawn(process.execPath, [lectern(), 'start', ...options], {
    cwd: home,
    env: { ...childEnvironment, PATH: process.env['PATH'] },
  })
  onTestFinished(() => void server.kill('SIGKILL'))
  let output = ''
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (chunk) => (output += chunk))
  const exited = once(server, 'exit')
  while (!output.includes(`Lectern is ready at http://localhost:${port}`)) {
    const ended = await Promise.race([exited, once(server.stdout, 'data').then(() => null)])
    if (ended !== null) throw new Error(output)
  }
  expect(output).toContain('  lectern user create --email you@example.com --admin')

  const command = async (...args: string[]) => {
    const { stdout } = await run(process.execPath, [lectern(), ...args], {
      cwd: home,
      env: { ...environment, PORT: port },
    })
    return stdout.trim()
  }
  const email = ['--email', 'ann@lectern.example']
  await command('user', 'create', ...email, '--admin')
  const key = await command('key', 'create', ...email)
  await writeFile(join(home, 'book.pdf'), await smallBooks.pdf())
  const book = await command('book', 'add', ...email, '--file', 'book.pdf', '--wait')
  const input = JSON.stringify({ items: [{ id: book }] })
  const answer = await command('call', '--key', key, '--tool', 'read_items', '--input', input)
  for (const text of smallBookPages) expect(answer).toContain(text)

  // A thread renders the text of an EPUB, and a page refers to scripts and styles beside the compiled files.
  const address = `http://localhost:${port}`
  const epub = await fetch(`${address}/api/v1/items/${book}/export?format=epub`, {
    headers: { authorization: `Bearer ${key}` },
  })
  expect(epub.status).toBe(200)
  expect(Buffer.from(await epub.arrayBuffer()).toString('latin1')).toContain('EPUB/nav.xhtml')
  const page = await (await fetch(`${address}/sign-in`)).text()
  const assets = [...page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => `${address}${path}`)
  expect(assets.length).toBeGreaterThan(1)
  for (const asset of assets) expect((await fetch(asset)).status).toBe(200)
  const description = await fetch(`${address}/api/v1/openapi.json`)
  expect(description.status).toBe(200)
})
