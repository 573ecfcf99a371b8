import { beforeAll, describe, expect, test } from 'vitest'
import { attemptLimits } from '../../src/accounts/attempt-limiter.ts'
import { answerConsent, createProgram, registerClient, registerProgram, type Program } from '../support/oauth.ts'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { webClient } from '../support/web-client.ts'

const fetched: string[] = []
const documents = async (input: unknown) => {
  fetched.push(String(input))
  await new Promise((resolve) => setTimeout(resolve, 50))
  return new Response('<html>', { status: String(input).includes('missing') ? 404 : 200 })
}

describe('a flood of authorizations without a session', () => {
  const environment = {
    LECTERN_ROLE: 'web',
    LECTERN_TRUSTED_PROXIES: '1',
    LECTERN_OAUTH_CLIENT_HOSTS: 'apps.example',
  }
  const server = useTestServer(environment, { fetch: documents })
  let person: WebPerson
  let app: Program
  beforeAll(async () => {
    person = await signedInPerson(server)
    app = await registerProgram(server)
  })

  const stored = () => server.running.opened.database.db.collection('oauth').find({ kind: 'Interaction' }).toArray()
  const start = (address: string, changes: Record<string, string> = {}, headers: Record<string, string> = {}) =>
    webClient(server).get(app.authorizeUrl(changes).href, { 'X-Forwarded-For': address, ...headers })
  /** Starts this many authorizations from one network, and counts the answers by status. */
  const flood = async (count: number, network: string, headers: Record<string, string> = {}) => {
    const state = 's'.repeat(3000)
    const answers = await Promise.all(
      Array.from({ length: count }, (_, index) => start(`${network}.${index % 250}`, { state }, headers)),
    )
    return Object.fromEntries(
      [...Map.groupBy(answers, ({ status }) => status)].map(([status, { length }]) => [status, length]),
    )
  }

  test('stores no more than the limit of its network, whichever addresses it uses', async () => {
    const { max } = attemptLimits.authorize
    expect(await flood(max + 40, '198.51.100')).toEqual({ 303: max, 429: 40 })
    const rows = await stored()
    expect(rows).toHaveLength(max)
    for (const row of rows) {
      expect(JSON.stringify(row).length).toBeLessThan(6000)
      expect(row['expiresAt'].getTime() - row['createdAt'].getTime()).toBeLessThanOrEqual(10 * 60_000)
    }
  })

  test('is told to wait, or to sign in first', async () => {
    const { status, text, headers } = await start('198.51.100.9')
    expect([status, headers.get('cache-control')]).toEqual([429, 'no-store'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(text).toMatch(/Too many connections were started from your network\. Try again in \d+ minutes/)
    expect(text).toContain(`sign in at ${server.baseUrl}/sign-in first`)
  })

  test('cannot bypass the limit with an invented session', async () => {
    const Cookie = `lectern=${'A'.repeat(43)}`
    expect(await flood(5, '198.51.100', { Cookie })).toEqual({ 429: 5 })
  })

  test('does not block another network, nor a signed-in person in the same network', async () => {
    expect((await start('203.0.113.5')).status).toBe(303)
    const there = { 'X-Forwarded-For': '198.51.100.9' }
    const begun = await person.browser.get(app.authorizeUrl().href, there)
    expect(begun.status).toBe(303)
    expect((await answerConsent(person.browser, app.authorizeUrl())).params.get('code')).toBeTruthy()
  })

  test('with large parameters is refused and not stored', async () => {
    const before = (await stored()).length
    const { location } = await start('203.0.113.77', { state: 's'.repeat(12_000) })
    const { searchParams } = new URL(location ?? '')
    expect(searchParams.get('error')).toBe('invalid_request')
    expect(searchParams.get('error_description')).toMatch(/^the parameters have \d+ bytes in all; at most 4096/)
    expect((await stored()).length).toBe(before)
  })

  test('from many networks ends at the total limit, which does not affect signed-in people', async () => {
    const { attemptLimiter } = server.running.opened.services
    const left = Array.from({ length: attemptLimits.authorize_in_all.max }, () =>
      attemptLimiter.consume('authorize_in_all', '').catch(() => {}),
    )
    await Promise.all(left)
    const { status, text } = await start('192.0.2.1')
    expect(status).toBe(429)
    expect(text).toContain('Too many connections are being started on this server')
    expect((await person.browser.get(app.authorizeUrl().href)).status).toBe(303)
  })

  test.for(['missing', 'broken'])(
    'a %s client document is fetched once, however often it is referred to',
    async (name) => {
      const id = `https://apps.example/${name}.json`
      const address = createProgram(server, id).authorizeUrl().href
      fetched.length = 0
      const open = () => webClient(server).get(address, { 'X-Forwarded-For': '192.0.2.44' })
      const answers = [...(await Promise.all([open(), open(), open()])), await open(), await open()]
      expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400])
      expect(fetched).toEqual([id])
    },
  )

  test('the number of documents fetched per network is limited', async () => {
    const { max } = attemptLimits.fetch_client
    fetched.length = 0
    const statuses = await Promise.all(
      Array.from({ length: max + 5 }, async (_, index) => {
        const id = `https://apps.example/missing-${index}.json`
        return (await webClient(server).get(createProgram(server, id).authorizeUrl().href)).status
      }),
    )
    expect(fetched).toHaveLength(max)
    expect(statuses.filter((status) => status === 429)).toHaveLength(5)
  })

  test('registrations are limited in total, and a large one is refused', async () => {
    const big = { redirect_uris: [`http://127.0.0.1/${'x'.repeat(1900)}`], contacts: ['x'.repeat(9000)] }
    expect((await registerClient(server, big)).body.error).toBe('invalid_client_metadata')
    const { attemptLimiter } = server.running.opened.services
    const { max } = attemptLimits.register_client_in_all
    await Promise.all(
      Array.from({ length: max }, () => attemptLimiter.consume('register_client_in_all', '').catch(() => {})),
    )
    const { status, headers } = await registerClient(server, {}, { 'X-Forwarded-For': '192.0.2.200' })
    expect([status, Number(headers.get('retry-after')) > 0]).toEqual([429, true])
  })
})
