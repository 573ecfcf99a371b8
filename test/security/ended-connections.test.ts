import type { Db } from 'mongodb'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createOauthStore } from '../../src/accounts/oauth-store.ts'
import { revokeAccess } from '../../src/accounts/revoke-access.ts'
import { answerConsent, registerProgram, type Program } from '../support/oauth.ts'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'
import { useTestServer } from '../support/use-test-server.ts'

/** A database whose nth `deleteMany` fails. */
function failingAt(db: Db, step: number): Db {
  let calls = 0
  const collection = (name: string) => {
    const rows = db.collection(name)
    const deleteMany: typeof rows.deleteMany = async (filter) => {
      if (++calls === step) throw new Error('the store is gone')
      return rows.deleteMany(filter)
    }
    return { find: rows.find.bind(rows), deleteMany }
  }
  return { collection } as unknown as Db
}

describe('a connection that ends while its app gets a token', () => {
  const server = useTestServer({ LECTERN_ROLE: 'web' })
  let person: WebPerson
  let app: Program
  /** Ends the connection after the server has checked it, when it stores a token of this kind. */
  let ending: { at: string; end: () => Promise<unknown> } | null = null
  beforeAll(async () => {
    const { oauth } = server.running.opened.services
    const { save } = oauth
    oauth.save = async (name, ...rest) => {
      if (name.kind === ending?.at) {
        const { end } = ending
        ending = null
        await end()
      }
      return save(name, ...rest)
    }
  })
  beforeEach(async () => {
    person = await signedInPerson(server)
    app = await registerProgram(server)
  })

  const rows = () => server.running.opened.database.db.collection('oauth')
  const issued = { $in: ['Grant', 'AuthorizationCode', 'AccessToken', 'RefreshToken'] }
  const countIssued = () => rows().countDocuments({ accountId: person.account.id, kind: issued })
  const disconnect = () => person.browser.submit('/connections', '/connections/disconnect', { id: app.clientId })
  const replay = (used: string) => async () => {
    const past = { $set: { consumedAt: new Date(Date.now() - 60_000) } }
    await rows().updateMany({ consumedAt: { $ne: null } }, past)
    expect((await app.refresh(used)).body.error).toBe('invalid_grant')
  }

  test.for(['AccessToken', 'RefreshToken'])('by its user, leaves no %s of a refresh', async (at) => {
    const { refresh_token } = await app.connect(person.browser)
    ending = { at, end: disconnect }
    expect(await app.refresh(refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect(await countIssued()).toBe(0)
  })

  test.for(['AccessToken', 'RefreshToken'])('by its user, leaves no %s of a code', async (at) => {
    const { params } = await answerConsent(person.browser, app.authorizeUrl())
    const { services } = server.running.opened
    ending = { at, end: () => revokeAccess(services, person.account.id) }
    expect((await app.exchange(params.get('code') ?? '')).body.error).toBe('invalid_grant')
    expect(await countIssued()).toBe(0)
  })

  test.for([1, 2, 3])('by its user, can be ended again or has no token if step %i fails', async (step) => {
    await app.connect(person.browser)
    const { services, database } = server.running.opened
    const { id } = person.account
    const [connection] = await services.oauth.listConnections(id)
    const failing = createOauthStore(failingAt(database.db, step), services.now)
    await expect(failing.disconnect(id, [connection?.id ?? ''])).rejects.toThrow('the store is gone')
    const tokens = await rows().countDocuments({ accountId: id, kind: { $in: ['AccessToken', 'RefreshToken'] } })
    expect({ tokens, listed: (await services.oauth.listConnections(id)).length }).toEqual(
      step === 1 ? { tokens: 2, listed: 1 } : { tokens: 0, listed: step === 2 ? 1 : 0 },
    )
  })

  test('by a replayed refresh token, leaves no token', async () => {
    const { refresh_token: used } = await app.connect(person.browser)
    const { body } = await app.refresh(used)
    ending = { at: 'AccessToken', end: replay(used) }
    expect((await app.refresh(body.refresh_token)).body.error).toBe('invalid_grant')
    expect(await countIssued()).toBe(0)
  })

  test('by a revocation of the app, leaves no token and is no longer listed', async () => {
    const { access_token, refresh_token } = await app.connect(person.browser)
    ending = { at: 'AccessToken', end: () => app.revoke(access_token) }
    expect((await app.refresh(refresh_token)).body.error).toBe('invalid_grant')
    expect(await countIssued()).toBe(0)
    expect((await person.browser.get('/connections')).text).toContain('No connected apps')
  })
})
