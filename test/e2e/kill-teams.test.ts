import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAccount } from '../../src/accounts/create-account.ts'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { send } from '../support/transports.ts'
import { killAtEveryStep, makeLibrary, type Library } from '../support/kill-at-every-step.ts'
import { unwrap } from '../support/uploads.ts'
import { tokenOf } from '../support/team-client.ts'

const limitMs = 240_000

interface Guest {
  id: string
  key: string
  /** The token of the invitation to the team. */
  token: string
  /** A book that the guest owns. */
  book: string
}

describe('a server that is killed after any step', () => {
  let library: Library
  let guest: Guest
  let team = ''
  const itemIds: string[] = []

  const request = (baseUrl: string, key: string, { path, ...rest }: { method: string; path: string; body?: object }) =>
    send({ baseUrl }, key, { ...rest, path: `/api/v1${path}`, headers: { 'Idempotency-Key': 'once' } })

  beforeAll(async () => {
    library = await makeLibrary(async ({ baseUrl, running }, { key }) => {
      const post = async (path: string, body: object) =>
        unwrap<any>(await send({ baseUrl }, key, { method: 'POST', path: `/api/v1${path}`, body }))
      team = (await post('/teams', { name: 'Team' })).team.id
      await post(`/teams/${team}/departments`, { name: 'Sales' })
      for (const title of ['One', 'Two']) itemIds.push((await post('/items/markdown', { title, content: 'text' })).id)
      await post(`/teams/${team}/items`, { itemId: itemIds[0], departmentSlugs: ['sales'] })
      await post(`/teams/${team}/items`, { itemId: itemIds[1] })
      const { services } = running.opened
      const account = await createAccount(services, { email: 'guest@lectern.example' })
      const { invite } = await post(`/teams/${team}/members`, { email: account.email })
      const made = await createApiKey(services, account.id, {})
      const own = { method: 'POST', path: '/items/markdown', body: { title: 'Own', content: 'text' } }
      const { id: book } = unwrap<{ id: string }>(await request(baseUrl, made.key, own))
      guest = { id: account.id, key: made.key, token: tokenOf(invite.url), book }
    })
  })
  afterAll(() => rm(library.directory, { recursive: true, force: true }))

  const accept = (baseUrl: string) =>
    request(baseUrl, guest.key, { method: 'POST', path: `/invites/${guest.token}/accept`, body: {} })

  test('of joining, sharing and leaving violates no invariant', { timeout: limitMs }, async () => {
    const kills = await killAtEveryStep(library, {
      prepare: async () => {},
      async act(baseUrl) {
        await accept(baseUrl)
        const body = { title: 'W', teamId: team, itemId: guest.book }
        await request(baseUrl, guest.key, { method: 'POST', path: '/manuscripts', body })
        await request(baseUrl, guest.key, { method: 'POST', path: `/teams/${team}/leave`, body: {} })
      },
      async recover({ baseUrl }) {
        await accept(baseUrl)
      },
      async afterCleanup({ running }) {
        const { members, shares, manuscripts } = running.opened.services
        const inside = (await members.find(team, guest.id)) !== null
        const own = await manuscripts.list(guest.id)
        for (const { teamId, itemId } of own) {
          expect(teamId).toBe(inside ? team : null)
          expect((await shares.find(team, itemId)) !== null).toBe(inside)
        }
      },
    })
    expect(kills).toBeGreaterThan(10)
  })

  test('of deleting a team leaves all of it or nothing', { timeout: limitMs }, async () => {
    const kills = await killAtEveryStep(library, {
      prepare: async (baseUrl) => void (await accept(baseUrl)),
      async act(baseUrl) {
        await request(baseUrl, library.key, { method: 'DELETE', path: `/teams/${team}/departments/sales`, body: {} })
        await request(baseUrl, library.key, { method: 'DELETE', path: `/teams/${team}`, body: {} })
      },
      async recover() {},
      async afterCleanup({ running }) {
        const { db } = running.opened.database
        const rows = async (name: string, filter: object) => db.collection(name).countDocuments(filter)
        const there = (await running.opened.services.teams.byId(team)) !== null
        const left = ['members', 'departments', 'shares', 'invites'].map((name) => rows(name, { teamId: team }))
        const sum = (await Promise.all(left)).reduce((total, count) => total + count, 0)
        expect(sum > 0).toBe(there)
        expect(await rows('teams', {})).toBe(there ? 1 : 0)
        expect(await rows('shares', { departments: [] })).toBe(there ? 1 : 0)
      },
    })
    expect(kills).toBeGreaterThan(5)
  })
})
