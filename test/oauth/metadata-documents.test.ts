import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answerConsent, callMcp, openConsent, createProgram } from '../support/oauth.ts'
import { sdkPrograms } from '../support/sdk-clients.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'

/** Metadata documents by URL; these tests replace only the network. */
const documents = new Map<string, () => Response>()
const fetched: string[] = []

const serve = async (input: unknown) => {
  const url = String(input)
  fetched.push(url)
  return documents.get(url)?.() ?? new Response('nothing', { status: 404 })
}

function publish(id: string, changes: Record<string, unknown> = {}, headers: Record<string, string> = {}): string {
  const document = {
    client_id: id,
    client_name: 'A known program',
    redirect_uris: ['http://127.0.0.1:3333/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
    ...changes,
  }
  documents.set(id, () => Response.json(document, { headers }))
  return id
}

describe('clients with a metadata document', () => {
  let server: TestServer
  let person: WebPerson
  beforeAll(async () => {
    const environment = { LECTERN_ROLE: 'web', LECTERN_OAUTH_CLIENT_HOSTS: 'apps.example,apps.example:8443' }
    server = await startTestServer(environment, { fetch: serve })
    person = await signedInPerson(server)
  })
  afterAll(() => server.close())

  test.for(sdkPrograms)('%s connects by its metadata document, on any loopback port', async ([name, make]) => {
    const id = publish(`https://apps.example/${name.replaceAll(' ', '-')}.json`, {
      redirect_uris: ['http://127.0.0.1/callback'],
    })
    const redirect = 'http://127.0.0.1:49152/callback'
    const program = make(`${server.baseUrl}/api/v1/mcp`, { clientMetadataUrl: id, redirect })
    expect(await program.tools()).toBeNull()
    expect(program.saved.authorizationUrl?.searchParams.get('client_id')).toBe(id)
    const { params, address } = await answerConsent(person.browser, program.saved.authorizationUrl!)
    expect(address.port).toBe('49152')
    await program.finishAuthorization(params)
    expect(await program.tools()).toContain('read_items')
    await program.close()
  })

  test('the consent page names the host that publishes the metadata document', async () => {
    const app = createProgram(server, publish('https://claude.ai/oauth/client.json'))
    const { page } = await openConsent(person.browser, app.authorizeUrl())
    expect(page.text).toContain('Connect A known program?')
    expect(page.text).toMatch(/Identity<\/dt>\s*<dd>\s*Published by <code>claude\.ai<\/code>/)
  })

  test('the consent page says how long the connection lasts', async () => {
    const app = createProgram(server, publish('https://claude.ai/oauth/lasting.json'))
    const { page } = await openConsent(person.browser, app.authorizeUrl())
    expect(page.text).toMatch(/until you disconnect the app under[^]*until the\s+app has not used it for 90 days/)
  })

  test.for([
    ['a host that is not known', 'https://evil.example/client.json', false],
    ['a known host on another port', 'https://apps.example:9443/client.json', false],
    ['a host on this computer', 'https://127.0.0.1/client.json', false],
    ['an address without https', 'http://apps.example/client.json', false],
    ['a known host on a known port', 'https://apps.example:8443/client.json', true],
  ] as const)('%s: %s', async ([, id, read]) => {
    publish(id)
    fetched.length = 0
    const { status } = await person.browser.get(createProgram(server, id).authorizeUrl().href)
    expect(status).toBe(read ? 303 : 400)
    expect(fetched).toEqual(read ? [id] : [])
  })

  test.for([
    ['names another client', { client_id: 'https://apps.example/other.json' }],
    ['asks for a secret', { token_endpoint_auth_method: 'client_secret_basic' }],
    ['has a redirect URI with http on another host', { redirect_uris: ['http://apps.example/cb'] }],
    ['has a script as redirect URI', { redirect_uris: ['javascript:alert(1)'] }],
  ] as const)('a document that %s is refused', async ([what, changes]) => {
    const id = publish(`https://apps.example/${encodeURIComponent(what)}.json`, changes)
    const { status, headers } = await person.browser.get(createProgram(server, id).authorizeUrl().href)
    expect([status, headers.get('location')]).toEqual([400, null])
  })

  test.for([
    ['is not JSON', () => new Response('<html>')],
    ['is missing', () => new Response('', { status: 404 })],
    [
      'redirects to another URL',
      () => new Response('', { status: 302, headers: { Location: 'http://169.254.169.254/' } }),
    ],
    ['is too large', () => new Response('{}', { headers: { 'Content-Length': String(10 ** 9) } })],
    ['cannot be reached', () => Promise.reject(new Error('no network')) as never],
  ] as const)('a document that %s is refused', async ([what, answer]) => {
    const id = `https://apps.example/${encodeURIComponent(what)}.json`
    documents.set(id, answer)
    const { status, text } = await person.browser.get(createProgram(server, id).authorizeUrl().href, {
      Accept: 'text/html',
    })
    expect(status).toBe(400)
    expect(text).toContain('This app cannot be connected')
  })

  test('the keys of a client are read up to 64 KB, also if their length is not announced', async () => {
    const keys = 'https://apps.example/keys.json'
    let sentBytes = 0
    const pull = (stream: ReadableStreamDefaultController) => {
      // Ends, so that a server which reads it all fails this test and does not fill the memory.
      if ((sentBytes += 8192) > 8_000_000) stream.close()
      else stream.enqueue(new Uint8Array(8192).fill(32))
    }
    documents.set(keys, () => new Response(new ReadableStream({ pull })))
    const metadata = { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: keys }
    const app = createProgram(server, publish('https://apps.example/keyed.json', metadata))
    const parts = [{ alg: 'ES256' }, { iss: app.clientId, sub: app.clientId, aud: server.baseUrl, jti: 'x', exp: 9e9 }]
    const assertion = [...parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')), 'eA'].join('.')
    const { status } = await app.requestTokens({
      grant_type: 'refresh_token',
      refresh_token: 'x',
      client_assertion: assertion,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    })
    expect(status).toBe(401)
    expect(sentBytes).toBeGreaterThan(0)
    expect(sentBytes).toBeLessThan(200_000)
  })

  test('a metadata document is fetched at most once in five minutes, whatever its cache lifetime', async () => {
    const id = publish('https://apps.example/kept.json', {}, { 'Cache-Control': 'no-store, max-age=0' })
    const app = createProgram(server, id)
    fetched.length = 0
    const tokens = await app.connect(person.browser)
    await app.refresh(tokens.refresh_token)
    expect((await callMcp(server, tokens.access_token)).status).toBe(200)
    expect(fetched).toEqual([id])
  })

  test('each installation is disconnected separately', async () => {
    const app = createProgram(server, publish('https://apps.example/shared.json', { client_name: 'Shared program' }))
    const [laptop, desk] = [await app.connect(person.browser), await app.connect(person.browser)]
    const { text } = await person.browser.get('/connections')
    const ids = [...text.matchAll(/<strong>Shared program<\/strong>[\s\S]*?name="id" value="([^"]+)"/g)].map(
      ([, id]) => id,
    )
    expect(ids).toHaveLength(2)
    await person.browser.submit('/connections', '/connections/disconnect', { id: ids[0]! })
    const statuses = await Promise.all([laptop, desk].map(({ access_token }) => callMcp(server, access_token)))
    expect(statuses.map(({ status }) => status).toSorted()).toEqual([200, 401])
  })
})
