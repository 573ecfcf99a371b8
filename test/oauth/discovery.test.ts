import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scopes } from '../../src/core/scopes.ts'
import { callMcp, registerProgram } from '../support/oauth.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { signedInPerson } from '../support/signed-in-person.ts'

describe('OAuth discovery', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startTestServer({ LECTERN_ROLE: 'web' }, { monitorCommands: true })
  })
  afterAll(() => server.close())
  const read = async (path: string) => {
    const response = await fetch(server.baseUrl + path, { headers: { Origin: 'https://anywhere.example' } })
    return { status: response.status, headers: response.headers, body: (await response.json()) as any }
  }

  test('an unauthenticated request gets the metadata URL and the scopes', async () => {
    const { status, challenge } = await callMcp(server, null)
    expect(status).toBe(401)
    expect(challenge).toBe(
      `Bearer resource_metadata="${server.baseUrl}/.well-known/oauth-protected-resource", scope="${scopes.join(' ')}"`,
    )
  })

  test.for(['', '/api/v1/mcp'])(
    'the resource is described at /.well-known/oauth-protected-resource%s',
    async (suffix) => {
      const { status, headers, body } = await read(`/.well-known/oauth-protected-resource${suffix}`)
      expect(status).toBe(200)
      expect(headers.get('access-control-allow-origin')).toBe('*')
      expect(body).toEqual({
        resource: `${server.baseUrl}/api/v1/mcp`,
        authorization_servers: [server.baseUrl],
        scopes_supported: [...scopes],
        bearer_methods_supported: ['header'],
        resource_name: 'Lectern',
        resource_documentation: `${server.baseUrl}/docs`,
      })
    },
  )

  test.for(['oauth-authorization-server', 'openid-configuration'])('/.well-known/%s', async (name) => {
    const { status, headers, body } = await read(`/.well-known/${name}`)
    expect(status).toBe(200)
    expect(headers.get('access-control-allow-origin')).toBeTruthy()
    expect(body).toMatchObject({
      issuer: server.baseUrl,
      authorization_endpoint: `${server.baseUrl}/oauth/authorize`,
      token_endpoint: `${server.baseUrl}/oauth/token`,
      registration_endpoint: `${server.baseUrl}/oauth/register`,
      revocation_endpoint: `${server.baseUrl}/oauth/revoke`,
      jwks_uri: `${server.baseUrl}/oauth/jwks`,
      client_id_metadata_document_supported: true,
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    })
    expect(body.scopes_supported).toEqual([...scopes, 'openid', 'offline_access'])
  })

  test('the JWKS has the public key and not the private one', async () => {
    const { body } = await read('/oauth/jwks')
    expect(body.keys).toHaveLength(1)
    expect(body.keys[0]).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' })
    expect(body.keys[0]).not.toHaveProperty('d')
  })

  test('a call with a token needs one database read for the token and its account', async () => {
    const { browser } = await signedInPerson(server)
    const { access_token } = await (await registerProgram(server)).connect(browser)
    await callMcp(server, access_token)
    const sent = await commandsDuring(() => callMcp(server, access_token))
    expect(sent).toEqual(['aggregate oauth'])
  })

  /** Returns the commands that the server sends to the database during an action. */
  async function commandsDuring(run: () => Promise<unknown>): Promise<string[]> {
    const { client } = server.running.opened.database.db
    const sent: string[] = []
    const note = ({ commandName, command }: { commandName: string; command: any }) => {
      const collection = command[commandName]
      // Agenda polls for jobs continuously.
      if (!String(collection).startsWith('agenda')) sent.push(`${commandName} ${collection}`)
    }
    client.on('commandStarted', note)
    await run()
    client.off('commandStarted', note)
    return sent
  }
})

test('with OAuth off, API keys keep working and no OAuth endpoint exists', async () => {
  const server = await startTestServer({ LECTERN_ROLE: 'web', LECTERN_OAUTH: 'off' })
  const { key } = await server.createPerson()
  expect((await callMcp(server, key)).status).toBe(200)
  const unsigned = await callMcp(server, null)
  expect(unsigned.status).toBe(401)
  expect(unsigned.challenge).toBe(`Bearer scope="${scopes.join(' ')}"`)
  expect((await callMcp(server, 'ck_oauth_x')).status).toBe(401)
  for (const path of [
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource',
    '/oauth/authorize',
  ]) {
    expect((await fetch(server.baseUrl + path)).status).toBe(404)
  }
  await server.close()
})
