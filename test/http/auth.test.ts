import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { generateApiKey } from '../../src/accounts/api-key.ts'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { isWriteScope, type Scope } from '../../src/core/scopes.ts'
import type { Tool } from '../../src/core/tool.ts'
import { tools } from '../../tools/index.ts'
import { transports, send, sendMcp } from '../support/transports.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let person: Person

beforeAll(async () => {
  person = await server.createPerson()
})

const invalidFormat = 'Invalid API key format'
const invalidKey = 'Invalid or revoked API key'
const unknownToken = 'This access token is unknown, expired, revoked or for another service.'
const otherResource = 'Token resource binding does not match request'
const malformedHeader = 'Invalid Authorization header format, expected Bearer token'

const made: [ownerId: string, keyId: string][] = []

async function keyOf(owner: Person, options: Parameters<typeof createApiKey>[2] = {}): Promise<string> {
  const { id, key } = await createApiKey(server.running.opened.services, owner.id, options)
  made.push([owner.id, id])
  return key
}

// An account may have at most 50 live keys.
afterEach(async () => {
  const { accounts } = server.running.opened.services
  for (const [ownerId, keyId] of made.splice(0)) await accounts.revokeKey(ownerId, keyId, new Date())
})

async function revokedKey(): Promise<string> {
  const { services } = server.running.opened
  const { id, key } = await createApiKey(services, person.id, {})
  await services.accounts.revokeKey(person.id, id, new Date())
  return key
}

const past = () => new Date(Date.now() - 1)
const withBadChecksum = (key: string) => key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')

const refused: [string, () => Promise<string | null>, string][] = [
  ['no header', async () => null, 'Missing Authorization header'],
  ['a key without Bearer', async () => person.key, malformedHeader],
  ['Basic credentials', async () => 'Basic dXNlcjpwYXNz', malformedHeader],
  ['Bearer without a key', async () => 'Bearer', malformedHeader],
  ['Bearer and two words', async () => `Bearer ${person.key} x`, malformedHeader],
  ['garbage', async () => 'Bearer garbage', invalidFormat],
  ['the wrong prefix', async () => `Bearer other_${person.key.split('_')[1]}`, invalidFormat],
  ['a key with a wrong checksum', async () => `Bearer ${withBadChecksum(person.key)}`, invalidFormat],
  ['a key that is too short', async () => `Bearer ${person.key.slice(0, -1)}`, invalidFormat],
  ['a key that is too long', async () => `Bearer ${person.key}0`, invalidFormat],
  ['an unknown key', async () => `Bearer ${generateApiKey()}`, invalidKey],
  ['an unknown older key', async () => `Bearer ${generateApiKey('ck')}`, invalidKey],
  ['a revoked key', async () => `Bearer ${await revokedKey()}`, invalidKey],
  ['an expired key', async () => `Bearer ${await keyOf(person, { expiresAt: past() })}`, invalidKey],
  ['an OAuth token', async () => 'Bearer ck_oauth_abcdefghijklmnopqrstuvwxyz', otherResource],
  ['an OAuth token shaped like an older key', async () => `Bearer ck_oauth_${'x'.repeat(34)}`, otherResource],
  ['only the OAuth prefix', async () => 'Bearer ck_oauth_', otherResource],
]

describe('the 401 messages', () => {
  test.for(refused)('%s over REST', async ([, header, message]) => {
    const authorization = await header()
    const headers: Record<string, string> = authorization === null ? {} : { Authorization: authorization }
    const answer = await send(server, null, { method: 'GET', path: '/api/v1/auth/whoami', headers })
    expect(answer.status).toBe(401)
    expect(answer.body).toEqual({ error: message, requestId: answer.headers.get('x-request-id') })
  })

  test.for(refused)('%s over MCP, with a sign-in challenge', async ([what, header, message]) => {
    const authorization = await header()
    const headers: Record<string, string> = authorization === null ? {} : { Authorization: authorization }
    const answer = await sendMcp(server, null, { method: 'tools/list', headers })
    expect(answer.status).toBe(401)
    // The error is a JSON-RPC error, whose message SDKs show.
    expect(answer.body).toMatchObject({ jsonrpc: '2.0', error: { code: -32_010 } })
    expect(answer.body.error.message).toBe(message === otherResource ? unknownToken : message)
    const challenge = answer.headers.get('www-authenticate') ?? ''
    expect(challenge).toContain(`resource_metadata="${server.baseUrl}/.well-known/oauth-protected-resource`)
    expect(challenge.startsWith('Bearer ')).toBe(true)
    expect(challenge.includes('error="invalid_token"')).toBe(what !== 'no header')
  })
})

describe.for(transports)('accepted over %s', ([, transport]) => {
  test.for<[string, () => Promise<string>]>([
    ['an older ck_ key', () => keyOf(person, { prefix: 'ck' })],
    ['a key that expires later', () => keyOf(person, { expiresAt: new Date(Date.now() + 60_000) })],
    ['a second key', () => keyOf(person)],
  ])('%s', async ([, key]) => {
    expect((await transport.call(server, { key: await key() }, 'whoami')).body.id).toBe(person.id)
  })

  test('the Bearer scheme is accepted in any case and with several spaces', async () => {
    for (const Authorization of [`bearer ${person.key}`, `BEARER   ${person.key}`]) {
      const rest = await send(server, null, { method: 'GET', path: '/api/v1/auth/whoami', headers: { Authorization } })
      expect(rest.status).toBe(200)
    }
  })

  test('a suspended account is refused until it is resumed', async () => {
    const suspended = await server.createPerson()
    const { accounts } = server.running.opened.services
    await accounts.change(suspended.id, { suspendedAt: new Date() })
    const answer = await transport.call(server, suspended, 'whoami')
    expect(answer).toMatchObject({ status: 403, body: { code: 'FORBIDDEN', error: /suspended/ } })
    expect(answer.headers.get('www-authenticate')).toBeNull()
    await accounts.change(suspended.id, { suspendedAt: null })
    expect((await transport.call(server, suspended, 'whoami')).ok).toBe(true)
  })
})

test('the last use of a key is recorded', async () => {
  const owner = await server.createPerson()
  await send(server, owner.key, { method: 'GET', path: '/api/v1/auth/whoami' })
  const { accounts } = server.running.opened.services
  await expect.poll(async () => (await accounts.listKeys(owner.id))[0]?.lastUsedAt).toBeInstanceOf(Date)
})

const routes = tools.filter(({ rest }) => rest !== undefined && !['session', 'none'].includes(rest.credential ?? ''))

function request(tool: Tool, headers: Record<string, string>) {
  const rest = tool.rest as NonNullable<Tool['rest']>
  const path = `/api/v1${rest.path.replaceAll(/\{\w+\}/g, 'unknown')}`
  const body = rest.method === 'GET' ? undefined : {}
  return send(server, null, { method: rest.method, path, body, headers })
}

describe.for(routes.map((tool) => [tool.name, tool] as const))('the route of %s', ([, tool]) => {
  test('the credential is checked before anything else', async () => {
    expect((await request(tool, {})).body.error).toBe('Missing Authorization header')
    expect((await request(tool, { Authorization: `Bearer ${generateApiKey()}` })).body.error).toBe(invalidKey)
  })

  test('the route refuses OAuth tokens', async () => {
    const { status, body } = await request(tool, { Authorization: 'Bearer ck_oauth_abc' })
    if (tool.rest?.credential === 'apiKey')
      expect({ status, code: body.code }).toEqual({ status: 403, code: 'INSUFFICIENT_SCOPE' })
    else expect({ status, error: body.error, code: body.code }).toEqual({ status: 401, error: otherResource })
  })

  test('the route requires its declared scope and no other', async () => {
    const without = (['library:read', 'library:write', 'marketplace:read', 'marketplace:write'] as Scope[]).filter(
      (scope) => scope !== tool.scope,
    )
    const lacking = await request(tool, { Authorization: `Bearer ${await keyOf(person, { scopes: without })}` })
    expect(lacking).toMatchObject({ status: 403, body: { code: 'INSUFFICIENT_SCOPE', requiredScope: tool.scope } })
    const enough = await request(tool, { Authorization: `Bearer ${await keyOf(person, { scopes: [tool.scope] })}` })
    expect(enough.status).not.toBe(401)
    expect(enough.body?.code).not.toBe('INSUFFICIENT_SCOPE')
    expect(enough.status).toBeLessThan(500)
  })

  test('a read-only key is refused exactly by routes that write', async () => {
    const readOnly = await keyOf(person, { scopes: ['library:read', 'marketplace:read'] })
    const { body } = await request(tool, { Authorization: `Bearer ${readOnly}` })
    expect(body?.code === 'INSUFFICIENT_SCOPE').toBe(isWriteScope(tool.scope))
  })
})
