import { describe, expect, test } from 'vitest'
import { send } from '../support/transports.ts'
import { useTestServer } from '../support/use-test-server.ts'
import type { Fields } from '../support/web-client.ts'
import { signedInPerson } from '../support/signed-in-person.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

const whoami = (key: string) => send(server, key, { method: 'GET', path: '/api/v1/auth/whoami' })
const keyIn = (text: string) => /lectern_[0-9A-Za-z]{40}/.exec(text)?.[0] as string
const given: Fields = { name: 'Laptop', scopes: ['library:read', 'marketplace:read'], expires: '30' }

describe('the page of API keys', () => {
  test('the page creates a key, shows it once and revokes it', async () => {
    const { browser, account } = await signedInPerson(server)
    expect((await browser.get('/keys')).text).toContain('You have no API keys yet.')
    const made = await browser.submit('/keys', '/keys', given)
    expect(made.headers.get('cache-control')).toBe('no-store')
    const key = keyIn(made.text)
    expect((await whoami(key)).status).toBe(200)
    const list = await browser.get('/keys')
    expect(list.text).not.toContain(key)
    expect(list.text).toContain('Read books, shelves, manuscripts and your account; Browse the marketplace')
    const [row] = await server.running.opened.services.accounts.listKeys(account.id)
    expect(row).toMatchObject({ name: 'Laptop', scopes: given['scopes'] })
    const days = ((row?.expiresAt?.getTime() ?? 0) - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(29.9)
    expect(days).toBeLessThan(30.1)
    const revoked = await browser.submit('/keys', '/keys/revoke', {})
    expect(revoked.location).toBe('/keys?done=revoked')
    expect((await whoami(key)).status).toBe(401)
    expect((await browser.submit('/keys', '/keys', given)).status).toBe(200)
  })

  test.for<[string, Fields, string, string]>([
    ['no name', { name: ' ' }, 'name', 'Enter a name that says what the key is for'],
    ['no scope', { scopes: [] }, 'scopes', 'Select at least one permission'],
    ['an unknown time', { expires: '1000000' }, 'expires', 'Choose one of the expiry times'],
    ['an unknown scope', { scopes: ['everything'] }, 'scopes', 'Select at least one permission'],
  ])('the form refuses %s at the field and keeps the other values', async ([, change, field, message]) => {
    const { browser, account } = await signedInPerson(server)
    const answer = await browser.submit('/keys', '/keys', { ...given, ...change })
    expect(answer.status).toBe(400)
    expect(answer.text).toContain(message)
    expect(answer.text).toContain(`id="${field}-problem"`)
    if (field !== 'name') expect(answer.text).toContain('value="Laptop"')
    expect(await server.running.opened.services.accounts.listKeys(account.id)).toEqual([])
  })

  test('a key of another account cannot be revoked', async () => {
    const other = await server.createPerson()
    const [theirs] = await server.running.opened.services.accounts.listKeys(other.id)
    const { browser } = await signedInPerson(server)
    await browser.submit('/keys', '/keys', given)
    const answer = await browser.submit('/keys', '/keys/revoke', { id: theirs?.id as string })
    expect(answer.status).toBe(404)
    expect((await whoami(other.key)).status).toBe(200)
  })
})

describe('authorizing a program', () => {
  test('one click sends a key to the port on this computer', async () => {
    const { browser, account } = await signedInPerson(server)
    const state = 'a b&key=forged#x\r\n'
    const page = `/cli-auth?port=8123&state=${encodeURIComponent(state)}`
    const shown = await browser.get(page)
    expect(shown.headers.get('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:8123;")
    expect(await server.running.opened.services.accounts.listKeys(account.id)).toEqual([])
    const answer = await browser.submit(page, '/cli-auth', { state })
    expect(answer.status).toBe(303)
    const target = new URL(answer.headers.get('location') as string)
    expect([target.origin, target.pathname]).toEqual(['http://127.0.0.1:8123', '/callback'])
    expect([...target.searchParams.keys()]).toEqual(['key', 'state'])
    expect(target.searchParams.get('state')?.replaceAll('\r\n', '\n')).toBe(state.replaceAll('\r\n', '\n'))
    expect((await whoami(target.searchParams.get('key') as string)).body.id).toBe(account.id)
  })

  test('without a state no state is sent', async () => {
    const { browser } = await signedInPerson(server)
    const answer = await browser.submit('/cli-auth?port=1', '/cli-auth', {})
    expect(answer.headers.get('location')).toMatch(/^http:\/\/127\.0\.0\.1:1\/callback\?key=lectern_[0-9A-Za-z]{40}$/)
  })

  test.for(['1', '80', '65535'])('port %s is accepted', async (port) => {
    const { browser } = await signedInPerson(server)
    expect((await browser.get(`/cli-auth?port=${port}`)).status).toBe(200)
  })

  test.for([
    '',
    '0',
    '65536',
    '99999',
    '123456',
    '-1',
    '+80',
    '080',
    '8e3',
    '0x50',
    '80.0',
    ' 80',
    '80@evil.example',
    '80/..//evil.example',
    '@evil.example:80',
    'evil.example',
    '８０',
  ])('port %j is refused on the page and in the form', async (port) => {
    const { browser, account } = await signedInPerson(server)
    expect((await browser.get(`/cli-auth?port=${encodeURIComponent(port)}`)).status).toBe(400)
    const answer = await browser.submit('/cli-auth?port=80', '/cli-auth', { port })
    expect([answer.status, answer.location]).toEqual([400, null])
    expect(await server.running.opened.services.accounts.listKeys(account.id)).toEqual([])
  })

  test.for(['host', 'redirect', 'redirect_uri', 'callback', 'url'])('the page ignores %s', async (name) => {
    const { browser } = await signedInPerson(server)
    const page = `/cli-auth?port=8123&${name}=${encodeURIComponent('http://evil.example/')}`
    const answer = await browser.submit(page, '/cli-auth', { [name]: 'http://evil.example/' })
    expect(answer.headers.get('location')).toMatch(/^http:\/\/127\.0\.0\.1:8123\/callback\?key=\w+$/)
  })

  test('a state that is too long and a missing port are refused', async () => {
    const { browser } = await signedInPerson(server)
    expect((await browser.get(`/cli-auth?port=80&state=${'x'.repeat(1025)}`)).status).toBe(400)
    expect((await browser.get('/cli-auth')).status).toBe(400)
  })
})
