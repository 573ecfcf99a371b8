import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/app/config.ts'
import { createLog } from '../../src/app/log.ts'
import { startServer, type RunningServer } from '../../src/app/start.ts'
import { send } from '../support/transports.ts'
import { freePort } from '../support/server.ts'
import { runLectern } from '../support/run-lectern.ts'
import { tokenOf } from '../support/team-client.ts'

describe('teams on the command line', { timeout: 120_000 }, () => {
  let directory: string
  let server: RunningServer
  let baseUrl: string
  let key: string

  const environment = () => ({
    LECTERN_DATA_DIR: directory,
    LECTERN_BASE_URL: baseUrl,
    PORT: new URL(baseUrl).port,
    LECTERN_LOG_LEVEL: 'silent',
  })
  const run = async (...args: string[]) => {
    const { code, json } = await runLectern([...args, '--json'], environment())
    return { code, json: json }
  }
  const call = (method: string, path: string, body?: unknown) =>
    send({ baseUrl }, key, { method, path: `/api/v1${path}`, body })

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'lectern-team-'))
    baseUrl = `http://127.0.0.1:${await freePort()}`
    server = await startServer(readConfig(environment()), createLog('silent'))
    await run('user', 'create', '--email', 'owner@lectern.example')
    key = (await run('key', 'create', '--email', 'owner@lectern.example')).json.key
  })
  afterAll(async () => {
    await server?.stop()
    await rm(directory, { recursive: true, force: true })
  })

  test('team create and team subscription create a team and change its subscription', async () => {
    const made = await run('team', 'create', '--name', 'The team', '--owner', 'Owner@lectern.example')
    expect(made).toEqual({ code: 0, json: { id: expect.stringMatching(/^[a-z0-9]{26}$/), name: 'The team' } })
    const { id } = made.json
    expect((await call('GET', '/teams')).body.teams).toEqual([
      { id, name: 'The team', role: 'OWNER', memberCount: 1, seatLimit: null, departmentCount: 0, itemCount: 0 },
    ])
    const item = (await call('POST', '/items/markdown', { title: 'Shared', content: 'text' })).body
    const share = () => call('POST', `/teams/${id}/items`, { itemId: item.id })
    const off = await run('team', 'subscription', '--team', id, '--active', 'false')
    expect(off).toEqual({ code: 0, json: { id, name: 'The team', subscriptionActive: false } })
    expect((await share()).body.code).toBe('TEAM_SUBSCRIPTION_REQUIRED')
    expect((await run('team', 'subscription', '--team', id, '--active', 'true')).json.subscriptionActive).toBe(true)
    expect((await share()).status).toBe(201)
  })

  test('a new account finds the pending invitation of its email address', async () => {
    const [team] = (await call('GET', '/teams')).body.teams
    const { invite } = (await call('POST', `/teams/${team.id}/members`, { email: 'guest@lectern.example' })).body
    await run('user', 'create', '--email', 'guest@lectern.example')
    const guest = (await run('key', 'create', '--email', 'guest@lectern.example')).json.key
    const as = (method: string, path: string) =>
      send({ baseUrl }, guest, { method, path: `/api/v1${path}`, body: method === 'GET' ? undefined : {} })
    expect((await as('GET', '/user/notifications?type=team_invite')).body.notifications).toHaveLength(1)
    expect((await as('GET', '/teams')).body.teams).toEqual([])
    expect(invite.url).toBeNull()
    const [listed] = (await as('GET', '/invites')).body.invites
    const { invites } = (await call('GET', `/teams/${team.id}/members`)).body
    expect(invites).toMatchObject([{ id: invite.id, url: listed.url }])
    expect((await as('POST', `/invites/${tokenOf(listed.url)}/accept`)).status).toBe(200)
    expect((await as('GET', '/teams')).body.teams).toMatchObject([{ id: team.id, role: 'MEMBER' }])
  })

  test.for([
    ['an account that does not exist', ['team', 'create', '--name', 'T', '--owner', 'nobody@lectern.example'], 1],
    ['a name of punctuation only', ['team', 'create', '--name', '!!', '--owner', 'owner@lectern.example'], 2],
    ['a team that does not exist', ['team', 'subscription', '--team', 'nothing', '--active', 'true'], 1],
    ['a value other than true and false', ['team', 'subscription', '--team', 'nothing', '--active', 'maybe'], 2],
  ] as const)('refuses %s', async ([, args, code]) => {
    const refused = await run(...args)
    expect(refused.code).toBe(code)
    expect(refused.json).toMatchObject({ error: expect.any(String), code: code === 1 ? 'NOT_FOUND' : 'USAGE' })
  })
})
