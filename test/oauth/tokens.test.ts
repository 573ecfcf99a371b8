import { beforeAll, describe, expect, test } from 'vitest'
import { createAccount } from '../../src/accounts/create-account.ts'
import { answerConsent, callMcp, registerProgram, type Program, type Tokens } from '../support/oauth.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'

describe('tokens', () => {
  const server = useTestServer({ LECTERN_ROLE: 'web' })
  let person: WebPerson
  let app: Program
  const rows = () =>
    server.running.opened.database.db.collection<{ _id: string; payload: string; consumedAt: Date | null }>('oauth')
  const works = async (token: string) => (await callMcp(server, token)).status === 200
  beforeAll(async () => {
    person = await signedInPerson(server)
    app = await registerProgram(server)
  })

  const connect = (): Promise<Tokens> => app.connect(person.browser)
  const codeOf = async () => (await answerConsent(person.browser, app.authorizeUrl())).params.get('code')!

  test('a refresh issues new tokens; the old access token stays valid, the old refresh token is consumed', async () => {
    const first = await connect()
    const { status, body } = await app.refresh(first.refresh_token)
    expect(status).toBe(200)
    expect(body.access_token).not.toBe(first.access_token)
    expect(body.refresh_token).not.toBe(first.refresh_token)
    expect(body.scope).toBe(first.scope)
    expect(await works(body.access_token)).toBe(true)
    expect(await works(first.access_token)).toBe(true)
  })

  test('two processes that refresh at the same time both succeed', async () => {
    const { refresh_token } = await connect()
    const both = await Promise.all([app.refresh(refresh_token), app.refresh(refresh_token)])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    for (const { body } of both) {
      expect(await works(body.access_token)).toBe(true)
      expect((await app.refresh(body.refresh_token)).status).toBe(200)
    }
  })

  test('a refresh can be retried within the leeway, which is not extended', async () => {
    const { refresh_token } = await connect()
    await app.refresh(refresh_token)
    const first = await consumedAt()
    expect((await app.refresh(refresh_token)).status).toBe(200)
    expect(await consumedAt()).toEqual(first)

    async function consumedAt() {
      const used = await rows()
        .find({ kind: 'RefreshToken', consumedAt: { $ne: null } })
        .sort({ createdAt: -1 })
        .toArray()
      return used[0]?.consumedAt
    }
  })

  test('a refresh token reused after the leeway ends the connection', async () => {
    const { refresh_token, access_token } = await connect()
    const { body } = await app.refresh(refresh_token)
    await rows().updateMany({ consumedAt: { $ne: null } }, { $set: { consumedAt: new Date(Date.now() - 31_000) } })
    const replay = await app.refresh(refresh_token)
    expect(replay).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect(await works(access_token)).toBe(false)
    expect(await works(body.access_token)).toBe(false)
    expect((await app.refresh(body.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('a code works once, even if two requests use it at the same time', async () => {
    const code = await codeOf()
    const both = await Promise.all([app.exchange(code), app.exchange(code)])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 400])
  })

  test('a reused code revokes its tokens', async () => {
    const code = await codeOf()
    const { body } = await app.exchange(code)
    expect(await works(body.access_token)).toBe(true)
    expect((await app.exchange(code)).body.error).toBe('invalid_grant')
    expect(await works(body.access_token)).toBe(false)
    expect((await app.refresh(body.refresh_token)).status).toBe(400)
  })

  test.for([
    ['another verifier', { code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
    ['another redirect URI', { redirect_uri: 'http://127.0.0.1:3334/callback' }, 'invalid_grant'],
    ['another resource', { resource: 'https://elsewhere.example/' }, 'invalid_target'],
    ['a code that was never issued', { code: 'made-up' }, 'invalid_grant'],
  ] as const)('a code is not exchanged with %s', async ([, changes, error]) => {
    const { status, body } = await app.exchange(await codeOf(), changes)
    expect(status).toBe(400)
    expect(body.error).toBe(error)
  })

  test('another client cannot exchange a code', async () => {
    const other = await registerProgram(server)
    expect((await other.exchange(await codeOf())).body.error).toBe('invalid_grant')
  })

  test('a refresh never grants more than the user consented to', async () => {
    const tokens = await app.connect(person.browser, { scopes: ['library:read'] })
    const more = await app.refresh(tokens.refresh_token, { scope: 'library:read library:write' })
    expect(more).toMatchObject({ status: 400, body: { error: 'invalid_scope' } })
    const less = await connect()
    const narrowed = await app.refresh(less.refresh_token, { scope: 'library:read' })
    expect(narrowed.body.scope).toBe('library:read')
  })

  test('a revoked token ends the connection', async () => {
    const { access_token, refresh_token } = await connect()
    expect(await app.revoke(access_token)).toBe(200)
    const { status, challenge, body } = await callMcp(server, access_token)
    expect(status).toBe(401)
    expect(body.error.message).toContain('revoked')
    expect(challenge).toMatch(/^Bearer error="invalid_token", resource_metadata="/)
    expect((await app.refresh(refresh_token)).status).toBe(400)
    expect(await app.revoke('unknown')).toBe(200)
  })

  test('another client cannot revoke a token', async () => {
    const { access_token } = await connect()
    const other = await registerProgram(server)
    await other.revoke(access_token)
    expect(await works(access_token)).toBe(true)
  })

  test('an expired token is refused before the database deletes it', async () => {
    const { access_token } = await connect()
    await rows().updateMany({ kind: 'AccessToken' }, { $set: { expiresAt: new Date(Date.now() - 1) } })
    expect((await callMcp(server, access_token)).status).toBe(401)
  })

  test('a token for another resource is refused', async () => {
    const { access_token } = await connect()
    for await (const row of rows().find({ kind: 'AccessToken' })) {
      const payload = JSON.stringify({ ...JSON.parse(row.payload), aud: 'https://elsewhere.example/mcp' })
      await rows().updateOne({ _id: row._id }, { $set: { payload } })
    }
    expect((await callMcp(server, access_token)).status).toBe(401)
  })

  test('REST refuses access tokens with the contract’s message, and the agent routes with 403', async () => {
    const { access_token } = await connect()
    for (const token of [access_token, 'ck_oauth_nothing']) {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
      const rest = await fetch(`${server.baseUrl}/api/v1/items`, { headers })
      expect(rest.status).toBe(401)
      expect(await rest.json()).toMatchObject({ error: 'Token resource binding does not match request' })
      for (const [method, path] of [
        ['GET', '/user/agents'],
        ['PUT', '/user/agents'],
        ['PATCH', '/user/config/agents'],
      ] as const) {
        const refused = await fetch(`${server.baseUrl}/api/v1${path}`, {
          method,
          headers,
          ...(method === 'GET' ? {} : { body: '{}' }),
        })
        expect(refused.status).toBe(403)
        expect(await refused.json()).toMatchObject({ code: 'INSUFFICIENT_SCOPE' })
      }
    }
  })

  test('a suspended account cannot call or refresh, and its connection works again after it is resumed', async () => {
    const { services } = server.running.opened
    const suspended = await signedInPerson(server)
    const { access_token, refresh_token } = await app.connect(suspended.browser)
    await services.accounts.change(suspended.account.id, { suspendedAt: new Date() })
    expect((await callMcp(server, access_token)).status).toBe(403)
    expect((await app.refresh(refresh_token)).status).toBe(400)
    await services.accounts.change(suspended.account.id, { suspendedAt: null })
    expect(await works(access_token)).toBe(true)
  })

  test('tokens, codes and cookies are stored only as hashes', async () => {
    const code = await codeOf()
    const tokens = (await app.exchange(code)).body as Tokens
    await app.refresh(tokens.refresh_token)
    const stored = JSON.stringify(await rows().find().toArray())
    for (const secret of [code, tokens.access_token, tokens.refresh_token]) expect(stored.includes(secret)).toBe(false)
  })

  test('erasing an account leaves no OAuth data', async () => {
    const { services } = server.running.opened
    const gone = await signedInPerson(server)
    const { access_token } = await app.connect(gone.browser)
    await services.oauth.removeAccount(gone.account.id)
    expect(JSON.stringify(await rows().find().toArray())).not.toContain(gone.account.id)
    expect((await callMcp(server, access_token)).status).toBe(401)
    await createAccount(services, { email: 'after@lectern.example' })
  })
})
