import { describe, expect, test } from 'vitest'
import { answerConsent, callMcp, registerProgram } from '../support/oauth.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { signedInPerson } from '../support/signed-in-person.ts'

describe('connected apps', () => {
  const server = useTestServer({ LECTERN_ROLE: 'web' })
  const rows = () => server.running.opened.database.db.collection('oauth')

  test('a registered client is one connected app, however often it was authorized, and is disconnected as one', async () => {
    const { browser } = await signedInPerson(server)
    const app = await registerProgram(server)
    const first = await app.connect(browser, { scopes: ['library:read'] })
    const second = await app.connect(browser, { scopes: ['library:read', 'library:write'] })
    const { text } = await browser.get('/connections')
    expect(text.match(/<strong>A test<\/strong>/g)).toHaveLength(1)
    expect(text).toContain('Create, change and delete books, shelves and manuscripts')
    expect(text).not.toContain('Browse the marketplace')
    const done = await browser.submit('/connections', '/connections/disconnect', {})
    expect(done.location).toBe('/connections?done=disconnected')
    expect((await browser.get(done.location!)).text).toContain('App disconnected.')
    for (const { access_token, refresh_token } of [first, second]) {
      expect((await callMcp(server, access_token)).status).toBe(401)
      expect((await app.refresh(refresh_token)).status).toBe(400)
    }
    expect(await rows().countDocuments({ clientId: app.clientId, kind: { $ne: 'Session' } })).toBe(0)
  })

  test('an authorization without a token request is not a connection and expires', async () => {
    const { browser } = await signedInPerson(server)
    const app = await registerProgram(server)
    await answerConsent(browser, app.authorizeUrl())
    expect((await browser.get('/connections')).text).toMatch(/No connected apps[^]*<a class="button" href="\/connect">/)
    const [grant] = await rows().find({ kind: 'Grant', clientId: app.clientId }).toArray()
    expect(grant?.['expiresAt'].getTime() - Date.now()).toBeLessThanOrEqual(60 * 60_000)
  })

  test('a connection expires 90 days after its last refresh', async () => {
    const { browser } = await signedInPerson(server)
    const app = await registerProgram(server)
    const { refresh_token } = await app.connect(browser)
    await app.refresh(refresh_token)
    const [grant] = await rows().find({ kind: 'Grant', clientId: app.clientId }).toArray()
    const days = (grant?.['expiresAt'].getTime() - Date.now()) / (24 * 60 * 60_000)
    expect(days).toBeGreaterThan(89.9)
    expect(days).toBeLessThanOrEqual(90)
  })

  test('a client is kept for a year after its last token, also one that was kept for ever', async () => {
    const { browser } = await signedInPerson(server)
    const app = await registerProgram(server)
    const key = { _id: `Client:${app.clientId}` as never }
    const daysLeft = async () => ((await rows().findOne(key))?.['expiresAt'] - Date.now()) / (24 * 60 * 60_000)
    expect(await daysLeft()).toBeLessThanOrEqual(1)
    let { refresh_token: token } = await app.connect(browser)
    expect(await daysLeft()).toBeCloseTo(365, 0)
    for (const expiresAt of [null, new Date(Date.now() + 1000_000)]) {
      await rows().updateOne(key, { $set: { expiresAt } })
      const refreshed = await app.refresh(token)
      expect(refreshed.status).toBe(200)
      token = refreshed.body.refresh_token
      expect(await daysLeft()).toBeCloseTo(365, 0)
    }
  })

  test('nobody can see or disconnect the connections of others', async () => {
    const [mine, other] = [await signedInPerson(server), await signedInPerson(server)]
    const app = await registerProgram(server)
    const { access_token } = await app.connect(mine.browser)
    expect((await other.browser.get('/connections')).text).toContain('No connected apps')
    const second = await registerProgram(server)
    await second.connect(other.browser)
    const foreign = await other.browser.submit('/connections', '/connections/disconnect', { id: app.clientId })
    expect(foreign.status).toBe(404)
    expect((await mine.browser.post('/connections/disconnect', { id: app.clientId })).status).toBe(403)
    expect((await callMcp(server, access_token)).status).toBe(200)
  })
})
