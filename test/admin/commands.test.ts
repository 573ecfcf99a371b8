import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/app/config.ts'
import { createLog } from '../../src/app/log.ts'
import { startServer, type RunningServer } from '../../src/app/start.ts'
import { send } from '../support/transports.ts'
import { runLectern } from '../support/run-lectern.ts'
import { freePort } from '../support/server.ts'
import { smallBooks } from '../support/small-books.ts'

const id = expect.stringMatching(/^[a-z0-9]{24,32}$/)
const key = expect.stringMatching(/^lectern_[0-9A-Za-z]{40}$/)

const options = { timeout: 180_000 }

describe.for([['beside a running server'], ['without a server']])('the lectern command %s', options, ([where]) => {
  const beside = where === 'beside a running server'
  let directory: string
  let files: string
  let server: RunningServer | null = null
  let baseUrl = ''

  const environment = () => ({
    LECTERN_DATA_DIR: directory,
    LECTERN_BASE_URL: baseUrl,
    PORT: new URL(baseUrl).port,
    LECTERN_LOG_LEVEL: 'silent',
  })
  const run = (...args: string[]) => runLectern(args, environment())
  const json = async (...args: string[]) => {
    const { code, stdout, stderr, json: value } = await run(...args, '--json')
    expect({ code, stderr: stderr.replace(/^Created a new library in .*\n/, '') }, stdout).toEqual({
      code: 0,
      stderr: '',
    })
    expect(stdout.trim().split('\n')).toHaveLength(1)
    return value
  }
  const refused = async (...args: string[]) => {
    const { code, stderr, json: value } = await run(...args, '--json')
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    return value as { error: string; code: string }
  }
  const whoami = async (apiKey: string) => {
    server ??= await startServer(readConfig(environment()), createLog('silent'))
    const answer = await send({ baseUrl }, apiKey, { method: 'GET', path: '/api/v1/auth/whoami' })
    if (!beside) await server.stop().then(() => (server = null))
    return answer
  }

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'lectern-admin-'))
    files = await mkdtemp(join(tmpdir(), 'lectern-files-'))
    baseUrl = `http://127.0.0.1:${await freePort()}`
    if (beside) server = await startServer(readConfig(environment()), createLog('silent'))
    await writeFile(join(files, 'whales.pdf'), await smallBooks.pdf())
    await writeFile(join(files, 'broken.pdf'), '%PDF-1.7\n')
  })
  afterAll(async () => {
    await server?.stop()
    await rm(directory, { recursive: true, force: true })
    await rm(files, { recursive: true, force: true })
  })

  test('user create and user plan create accounts and change their plans', async () => {
    const made = await json('user', 'create', '--email', 'Ann@Lectern.example', '--name', 'Ann', '--admin')
    expect(made).toEqual({
      id,
      email: 'ann@lectern.example',
      plan: 'SELF_HOSTED',
      inviteUrl: expect.stringContaining(`${baseUrl}/sign-up?token=`),
      inviteExpiresAt: expect.any(String),
    })
    const bob = ['--email', 'bob@lectern.example', '--password', 'four unrelated words here']
    const free = await json('user', 'create', ...bob, '--plan', 'FREE')
    expect(free).toMatchObject({ id, email: 'bob@lectern.example', plan: 'FREE' })
    const moved = await json('user', 'plan', '--email', 'bob@lectern.example', '--plan', 'PRO')
    expect(moved).toMatchObject({ email: 'bob@lectern.example', plan: 'PRO' })
    const taken = await refused('user', 'create', '--email', 'ANN@lectern.example')
    expect(taken).toMatchObject({ code: 'CONFLICT', error: expect.stringMatching(/is an account for ann@lectern/) })
    const kept = await json('user', 'create', '--email', 'ANN@lectern.example', '--plan', 'FREE', '--if-not-exists')
    expect(kept).toEqual({ id: made.id, email: 'ann@lectern.example', plan: 'SELF_HOSTED', existing: true })
    const unknown = await refused('user', 'create', '--email', 'c@lectern.example', '--plan', 'GOLD')
    expect(unknown).toMatchObject({ error: expect.stringMatching(/no plan GOLD. Plans: FREE, PRO, SELF_HOSTED/) })
    expect(await refused('user', 'plan', '--email', 'bob@lectern.example', '--plan', 'GOLD')).toEqual(unknown)
    const nobody = await refused('user', 'plan', '--email', 'nobody@lectern.example', '--plan', 'PRO')
    expect(nobody).toMatchObject({ code: 'NOT_FOUND', error: expect.stringMatching(/No account nobody@.*user create/) })
  })

  test('key create, key list and key revoke create, list and revoke API keys', async () => {
    const email = 'keys@lectern.example'
    await json('user', 'create', '--email', email, '--name', 'Kay')
    expect(await json('key', 'list', '--email', email)).toEqual({ keys: [] })
    const made = await json('key', 'create', '--email', email)
    expect(made).toEqual({ id, key })
    expect((await whoami(made.key)).body).toMatchObject({ email, name: 'Kay', tier: 'SELF_HOSTED' })
    const read = ['--name', 'Reader', '--scopes', 'library:read, marketplace:read', '--expires-at', '2099-01-01']
    const reader = await json('key', 'create', '--email', email, ...read)
    const past = ['key', 'create', '--email', email, '--expires-at', '2020-01-01'] as const
    expect(await refused(...past)).toMatchObject({ error: '--expires-at must be in the future' })
    const legacy = await json('key', 'create', '--email', email, '--legacy')
    expect(legacy.key).toMatch(/^ck_[0-9A-Za-z]{40}$/)
    const { keys } = await json('key', 'list', '--email', email)
    expect(keys).toMatchObject([
      { id: made.id, name: 'API key', revokedAt: null, expiresAt: null },
      {
        id: reader.id,
        name: 'Reader',
        scopes: ['library:read', 'marketplace:read'],
        expiresAt: '2099-01-01T00:00:00.000Z',
      },
      { id: legacy.id },
    ])
    expect(JSON.stringify(keys)).not.toContain(made.key.slice(8))
    expect(await json('key', 'revoke', '--id', made.id)).toEqual({ id: made.id, revoked: true })
    expect(await refused('key', 'revoke', '--id', made.id)).toMatchObject({ code: 'NOT_FOUND' })
    expect(await whoami(made.key)).toMatchObject({ status: 401, body: { error: 'Invalid or revoked API key' } })
    const { stdout } = await run('key', 'list', '--email', email)
    expect(stdout).toMatch(new RegExp(`^${made.id}  revoked .*\n${reader.id}  active  Reader  library:read`))
  })

  test('user suspend and user resume suspend and reactivate an account', async () => {
    const email = 'sue@lectern.example'
    await json('user', 'create', '--email', email)
    const made = await json('key', 'create', '--email', email)
    expect(await json('user', 'suspend', '--email', email)).toEqual({ id, email, suspended: true })
    expect(await whoami(made.key)).toMatchObject({ status: 403, body: { error: expect.stringMatching(/suspended/) } })
    expect(await json('user', 'resume', '--email', email)).toEqual({ id, email, suspended: false })
    expect((await whoami(made.key)).status).toBe(200)
  })

  test('book add imports a file, and waits for the import with --wait', async () => {
    const email = 'books@lectern.example'
    await json('user', 'create', '--email', email)
    const file = join(files, 'whales.pdf')
    const titled = await json('book', 'add', '--email', email, '--file', file, '--title', 'On Whales', '--wait')
    expect(titled).toEqual({ itemId: id, job: expect.objectContaining({ status: 'SUCCEEDED', type: 'import' }) })
    const again = await json('book', 'add', '--email', email, '--file', file)
    expect(again).toEqual({
      itemId: titled.itemId,
      job: { id: titled.job.id, status: 'SUCCEEDED', type: 'import' },
      existing: true,
    })
    await writeFile(join(files, 'notes.md'), '# Notes')
    const queued = await json('book', 'add', '--email', email, '--file', join(files, 'notes.md'))
    expect(queued).toEqual({ itemId: id, job: { id, status: 'PENDING', type: 'import' } })
    const plain = await run('book', 'add', '--email', email, '--file', file, '--title', 'Again', '--wait')
    expect(plain).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[a-z0-9]{26}\n$/) })
    expect(plain.stdout).not.toContain(titled.itemId)
    expect(plain.stderr).toMatch(/\nAgain, 2 pages\nThe file is the same as that of "On Whales"/)
    const broken = await run('book', 'add', '--email', email, '--file', join(files, 'broken.pdf'), '--wait', '--json')
    expect(broken.code).toBe(1)
    expect(broken.json.job).toMatchObject({ status: 'FAILED', errorCode: 'BROKEN' })
    const missing = await refused('book', 'add', '--email', email, '--file', join(files, 'none.pdf'))
    expect(missing).toMatchObject({ code: 'NOT_FOUND', error: expect.stringMatching(/File not found: .*none\.pdf/) })
    const wrong = await refused('book', 'add', '--email', email, '--file', directory)
    expect(wrong).toMatchObject({ code: 'NOT_FOUND' })
  })

  test('book system adds a built-in book that every account can read', async () => {
    const file = join(files, 'whales.pdf')
    const made = await json('book', 'system', '--file', file, '--title', 'Built in', '--wait')
    expect(made).toEqual({ itemId: id, job: expect.objectContaining({ status: 'SUCCEEDED' }) })
  })

  test('call calls a tool over MCP as an agent does', async () => {
    const email = 'agent@lectern.example'
    await json('user', 'create', '--email', email)
    const made = await json('key', 'create', '--email', email)
    if (!beside) server = await startServer(readConfig(environment()), createLog('silent'))
    const summary = await json('call', '--key', made.key, '--tool', 'whoami')
    expect(summary).toMatchObject({ email })
    const other = await json('call', '--key', made.key, '--tool', 'whoami', '--url', baseUrl, '--input', '{}')
    expect(other).toEqual(summary)
    const wrong = await run('call', '--key', made.key, '--tool', 'read_items', '--input', '{"items":[]}', '--json')
    expect(wrong).toMatchObject({ code: 1, json: { error: expect.stringMatching(/items/) } })
    if (!beside) await server?.stop().then(() => (server = null))
  })

  test('doctor reports no findings afterwards', async () => {
    const { ok, checks } = await json('doctor')
    expect(checks.filter((check: { ok: boolean }) => !check.ok)).toEqual([])
    expect(ok).toBe(true)
    for (const check of checks) expect(Object.keys(check)).toEqual(['name', 'ok', 'detail'])
    expect((await json('doctor', '--deep')).ok).toBe(true)
    expect((await run('doctor')).stdout).toMatch(/^ok {3}database: The database answers in \d+ ms\.\nok {3}files: /)
  })
})
