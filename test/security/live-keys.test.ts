import { describe, expect, test } from 'vitest'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { maxLiveKeys } from '../../src/accounts/key-slot-store.ts'
import { rateLimits } from '../../src/accounts/rate-limiter.ts'
import { noProgress } from '../../src/admin/progress.ts'
import { keyCreate } from '../../src/admin/commands/key.ts'
import { signedInPerson } from '../support/signed-in-person.ts'
import { send } from '../support/transports.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' }, { rateLimits: { ...rateLimits, settings_writes: 1000 } })

async function scriptOnPage() {
  const { browser, account } = await signedInPerson(server)
  const csrf = /<meta name="csrf-token" content="([^"]+)"/.exec((await browser.get('/keys')).text)?.[1] as string
  const cookies = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const headers = { Cookie: cookies, 'X-CSRF-Token': csrf, Origin: server.baseUrl }
  const create = (body: object = { name: 'K' }) =>
    send(server, null, { method: 'POST', path: '/api/v1/auth/keys', body, headers })
  return { browser, account, create }
}

const limitMessage = /This account has 50 API keys, the most it may have\. Revoke one/

describe('an account has at most 50 live keys', () => {
  test('however many are created at once', async () => {
    const { account, create } = await scriptOnPage()
    const answers = await Promise.all(Array.from({ length: maxLiveKeys + 5 }, () => create()))
    const refused = answers.filter(({ status }) => status !== 201)
    expect(refused).toHaveLength(5)
    for (const { status, body } of refused) {
      expect([status, body.code]).toEqual([403, 'KEY_LIMIT_EXCEEDED'])
      expect(body.error).toMatch(limitMessage)
    }
    const { accounts } = server.running.opened.services
    expect(await accounts.listKeys(account.id)).toHaveLength(maxLiveKeys)
  })

  test('by the page and the command as well', async () => {
    const { browser, account } = await scriptOnPage()
    const { services } = server.running.opened
    for (let i = 0; i < maxLiveKeys; i++) await createApiKey(services, account.id, {})
    const page = await browser.submit('/keys', '/keys', { name: 'One more', scopes: ['library:read'] })
    expect(page.status).toBe(403)
    expect(page.text).toMatch(limitMessage)
    const open = async () => ({ services, progress: noProgress, close: async () => {} })
    const command = keyCreate.execute({ open } as never, { email: account.email })
    await expect(command).rejects.toMatchObject({ code: 'KEY_LIMIT_EXCEEDED' })
  })

  test('without counting revoked and expired ones', async () => {
    const { account, create } = await scriptOnPage()
    const { services } = server.running.opened
    const soon = new Date(services.now().getTime() + 1500)
    const first = await createApiKey(services, account.id, {})
    await createApiKey(services, account.id, { expiresAt: soon })
    for (let i = 2; i < maxLiveKeys; i++) await createApiKey(services, account.id, {})
    expect((await create()).status).toBe(403)
    await services.accounts.revokeKey(account.id, first.id, services.now())
    expect((await create()).status).toBe(201)
    await new Promise((resolve) => setTimeout(resolve, 1600))
    expect((await create()).status).toBe(201)
    expect((await create()).status).toBe(403)
  })

  test('including keys stored by an earlier version', async () => {
    const { account, create } = await scriptOnPage()
    const { database, services } = server.running.opened
    for (let i = 0; i < maxLiveKeys - 1; i++) await createApiKey(services, account.id, {})
    await database.db.collection<{ _id: string }>('keyPlaces').deleteOne({ _id: account.id })
    const statuses = await Promise.all([create(), create(), create()])
    expect(statuses.map(({ status }) => status).toSorted()).toEqual([201, 403, 403])
  })

  test('and the slot of a call that died is free again after a minute', async () => {
    const { account, create } = await scriptOnPage()
    const { database, services } = server.running.opened
    const at = new Date(services.now().getTime() - 61_000)
    const places = Array.from({ length: maxLiveKeys }, (_, index) => ({ id: `lost${index}`, at }))
    await database.db.collection<object>('keyPlaces').insertOne({ _id: account.id, places } as never)
    expect((await create()).status).toBe(201)
  })
})
