import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { migratingOf } from '../../src/app/migrate.ts'
import { migrate } from '../../src/db/migrate.ts'
import { answerConsent, callbackUrl, createProgram, registerClient, type Program } from '../support/oauth.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'

const confidential = { token_endpoint_auth_method: 'client_secret_post' }
const sha256 = (text: string) => crypto.createHash('sha256').update(text).digest('hex')

describe('client secrets', () => {
  const server = useTestServer({ LECTERN_ROLE: 'web' })
  let person: WebPerson
  const db = () => server.running.opened.database.db
  const rows = () => db().collection<{ _id: string; payload: string; expiresAt: Date | null }>('oauth')
  beforeAll(async () => {
    person = await signedInPerson(server)
  })
  beforeEach(async () => {
    await db().collection('rates').deleteMany({})
  })

  async function client(changes: Record<string, unknown> = {}): Promise<{ app: Program; secret: string; id: string }> {
    const { status, body } = await registerClient(server, { ...confidential, ...changes })
    expect(status).toBe(201)
    return { app: createProgram(server, body.client_id), secret: body.client_secret, id: body.client_id }
  }

  const codeFor = async (app: Program) =>
    (await answerConsent(person.browser, app.authorizeUrl())).params.get('code') ?? ''

  /** Requests tokens with the credentials in the header (RFC 6749, section 2.3.1). */
  async function exchangeBasic(app: Program, secret: string, code: string): Promise<{ status: number; body: any }> {
    const fields = { grant_type: 'authorization_code', code, redirect_uri: callbackUrl, code_verifier: app.verifier }
    const response = await fetch(`${server.baseUrl}/oauth/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${Buffer.from(`${app.clientId}:${secret}`).toString('base64')}` },
      body: new URLSearchParams(fields),
    })
    return { status: response.status, body: await response.json() }
  }

  test('client secrets are shown once and stored in no collection', async () => {
    const { app, secret, id } = await client()
    expect(secret).toMatch(/^[\w-]{43}$/)
    await app.exchange(await codeFor(app), { client_secret: secret })
    const collections = await db().listCollections().toArray()
    expect(collections.length).toBeGreaterThan(3)
    for (const { name } of collections) {
      const stored = JSON.stringify(await db().collection(name).find().toArray())
      expect([name, stored.includes(secret)]).toEqual([name, false])
    }
    const row = await rows().findOne({ _id: `Client:${id}` })
    expect(JSON.parse(row?.payload ?? '')).toMatchObject({ client_secret_sha256: sha256(secret) })
    expect(row?.payload).not.toContain('"client_secret":')
  })

  test.for(['client_secret_post', 'client_secret_basic'])('client secrets are required with %s', async (method) => {
    const { app, secret } = await client({ token_endpoint_auth_method: method })
    const code = await codeFor(app)
    const send = (given: string) =>
      method === 'client_secret_post' ? app.exchange(code, { client_secret: given }) : exchangeBasic(app, given, code)
    for (const wrong of ['wrong', sha256(secret), secret.slice(0, -1), `${secret}x`, secret.toUpperCase()]) {
      expect(await send(wrong)).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    }
    expect((await app.exchange(code)).status).toBe(401)
    expect((await send(secret)).status).toBe(200)
  })

  test('client secrets are required for each refresh and each revocation', async () => {
    const { app, secret } = await client()
    const { body } = await app.exchange(await codeFor(app), { client_secret: secret })
    expect((await app.refresh(body.refresh_token)).status).toBe(401)
    expect((await app.refresh(body.refresh_token, { client_secret: 'wrong' })).status).toBe(401)
    expect(await app.revoke(body.access_token)).toBe(401)
    expect((await app.refresh(body.refresh_token, { client_secret: secret })).status).toBe(200)
  })

  test('client secrets are compared in constant time', async () => {
    const { app, secret } = await client()
    const code = await codeFor(app)
    const compared: [string, string][] = []
    const original = crypto.timingSafeEqual
    crypto.timingSafeEqual = (a, b) => {
      compared.push([hex(a), hex(b)])
      return original(a, b)
    }
    syncBuiltinESMExports()
    onTestFinished(() => {
      crypto.timingSafeEqual = original
      syncBuiltinESMExports()
    })
    await app.exchange(code, { client_secret: 'wrong' })
    await app.exchange(code, { client_secret: secret })
    expect(compared).toContainEqual([sha256(secret), sha256('wrong')])
    expect(compared).toContainEqual([sha256(secret), sha256(secret)])

    function hex(bytes: NodeJS.ArrayBufferView): string {
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
    }
  })

  test('client secrets are never chosen by the client', async () => {
    const { app, secret } = await client({ client_secret: 'mine', client_secret_sha256: sha256('mine') })
    expect(secret).not.toBe('mine')
    const code = await codeFor(app)
    expect((await app.exchange(code, { client_secret: 'mine' })).status).toBe(401)
    expect((await app.exchange(code, { client_secret: secret })).status).toBe(200)
    const { body } = await registerClient(server, { client_secret: 'mine' })
    expect(body).not.toHaveProperty('client_secret')
  })

  test.for<[string, Record<string, unknown>]>([
    ['to authenticate', { token_endpoint_auth_method: 'client_secret_jwt' }],
    [
      'to authenticate, by its algorithm',
      { token_endpoint_auth_method: 'private_key_jwt', token_endpoint_auth_signing_alg: 'HS256' },
    ],
  ])('client secrets sign nothing: a registration that uses them %s is refused', async ([, changes]) => {
    const { status, body } = await registerClient(server, changes)
    expect([status, body.error]).toEqual([400, 'invalid_client_metadata'])
  })

  test('client secrets sign no id token and are not offered for signatures', async () => {
    const { body } = await registerClient(server, { ...confidential, id_token_signed_response_alg: 'HS256' })
    expect(body.id_token_signed_response_alg).toBe('ES256')
    for (const name of ['oauth-authorization-server', 'openid-configuration']) {
      const document = await (await fetch(`${server.baseUrl}/.well-known/${name}`)).text()
      expect(document).not.toMatch(/client_secret_jwt|"HS\d/)
    }
  })

  test('client secrets stored as plain text keep working and are hashed by a migration', async () => {
    const { app, secret, id } = await client({ client_name: 'Says "client_secret": of itself' })
    const _id = `Client:${id}`
    const { client_secret_sha256: _hash, ...metadata } = await stored()
    const former = { ...metadata, client_secret: secret }
    await rows().updateOne({ _id }, { $set: { payload: JSON.stringify(former) } })
    const code = await codeFor(app)
    expect((await app.exchange(code, { client_secret: 'wrong' })).status).toBe(401)
    const { status, body } = await app.exchange(code, { client_secret: secret })
    expect(status).toBe(200)

    const { opened } = server.running
    const { services } = opened
    expect(await services.oauth.countPlaintextSecrets()).toBe(1)
    const { expiresAt } = (await rows().findOne({ _id })) ?? {}
    expect(await migrate(migratingOf(opened))).toBe(true)
    expect(await stored()).toEqual({ ...metadata, client_secret_sha256: sha256(secret) })
    expect((await rows().findOne({ _id }))?.expiresAt).toEqual(expiresAt)
    expect(expiresAt).toBeInstanceOf(Date)
    expect(await services.oauth.hashPlaintextSecrets(10)).toBe(0)
    expect((await app.refresh(body.refresh_token, { client_secret: sha256(secret) })).status).toBe(401)
    expect((await app.refresh(body.refresh_token, { client_secret: secret })).status).toBe(200)

    async function stored(): Promise<Record<string, unknown>> {
      return JSON.parse((await rows().findOne({ _id }))?.payload ?? '')
    }
  })
})
