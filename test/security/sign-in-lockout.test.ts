import { describe, expect, test } from 'vitest'
import { attemptLimits, type AttemptKind } from '../../src/accounts/attempt-limiter.ts'
import { issueLink } from '../../src/accounts/issue-link.ts'
import { createKnownBrowsers } from '../../src/web/known-browsers.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { hiddenFields, webClient, type WebClient } from '../support/web-client.ts'
import { accountWithPassword, password, signedInPerson } from '../support/signed-in-person.ts'

const server = useTestServer({ LECTERN_ROLE: 'web', LECTERN_TRUSTED_PROXIES: '1' })
const { password_address: total, password_network: perNetwork } = attemptLimits
const home = '192.0.2.1'
let networks = 0

async function tryPassword(email: string, secret: string, from: { address: string; browser?: WebClient }) {
  const { address, browser = webClient(server) } = from
  browser.cookies.delete('lectern')
  const hidden = hiddenFields((await browser.get('/sign-in')).text, '/sign-in')
  return browser.post('/sign-in', { ...hidden, email, password: secret }, { 'X-Forwarded-For': address })
}

/**
 * Simulates a distributed attack: wrong passwords for one address up to the total limit, each network within its own
 * limit.
 */
async function attack(email: string): Promise<number> {
  let checked = 0
  for (let network = 0; checked < total.max; network++) {
    const address = `198.51.${++networks >> 8}.${networks & 255}`
    const batch = Array.from({ length: perNetwork.max }, () => tryPassword(email, 'a wrong guess', { address }))
    checked += (await Promise.all(batch)).filter(({ status }) => status === 401).length
    if (network > 50) throw new Error('The attack is never refused')
  }
  return checked
}

/** Counts attempts up to the limit. */
async function fill(attempt: AttemptKind, subject: string): Promise<void> {
  const { attemptLimiter } = server.running.opened.services
  for (let i = 0; i < attemptLimits[attempt].max; i++) await attemptLimiter.consume(attempt, subject).catch(() => {})
}

describe('nobody can lock out an owner', () => {
  test('wrong passwords from another network do not use up the owner’s attempts', async () => {
    const { email } = await accountWithPassword(server)
    const address = '203.0.113.66'
    for (let i = 0; i < 30; i++) await tryPassword(email, 'a wrong guess', { address })
    expect((await tryPassword(email, password, { address })).status).toBe(429)
    expect((await tryPassword(email, password, { address: home })).status).toBe(303)
  })

  test('a browser that signed in before can sign in while many networks guess', { timeout: 60_000 }, async () => {
    const { email, browser } = await signedInPerson(server)
    expect(await attack(email)).toBe(total.max)
    const stranger = await tryPassword(email, password, { address: '203.0.113.5' })
    expect(stranger.status).toBe(429)
    expect(stranger.text).toContain('use a browser in which you have signed in before, or reset your password')
    expect((await tryPassword(email, password, { address: home, browser })).status).toBe(303)
  })

  test('a person with a mailed link can sign in while many networks guess', async () => {
    const account = await accountWithPassword(server)
    await fill('password_address', account.email)
    expect((await tryPassword(account.email, password, { address: home })).status).toBe(429)
    const { url } = await issueLink(server.running.opened.services, 'reset', account.id)
    const owner = webClient(server)
    const fields = { password: 'four other words here', again: 'four other words here' }
    expect((await owner.submit(url.replace(server.baseUrl, ''), '/reset', fields)).status).toBe(303)
    await fill('password_address', account.email)
    const answer = await tryPassword(account.email, fields.password, { address: home, browser: owner })
    expect(answer.status).toBe(303)
  })

  test('a neighbour in the same network cannot use up the attempts of a browser that signed in before', async () => {
    const { email, browser } = await signedInPerson(server)
    const there = { address: '203.0.113.77' }
    await fill('sign_in', there.address)
    expect((await tryPassword(email, password, there)).status).toBe(429)
    expect((await tryPassword(email, password, { ...there, browser })).status).toBe(303)
  })
})

describe('the mark of a browser does not bypass the limits', () => {
  test('a marked browser has ten wrong passwords, like any other', async () => {
    const { email, browser } = await signedInPerson(server)
    const statuses = []
    for (let i = 0; i < 12; i++) {
      const address = `203.0.114.${i}`
      statuses.push((await tryPassword(email, 'a wrong guess', { address, browser })).status)
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429])
  })

  test('the mark of one account does not count for another', async () => {
    const { browser } = await signedInPerson(server)
    const victim = await accountWithPassword(server)
    const address = '203.0.115.1'
    for (let i = 0; i < perNetwork.max; i++) await tryPassword(victim.email, 'a wrong guess', { address })
    expect((await tryPassword(victim.email, 'a wrong guess', { address, browser })).status).toBe(429)
  })

  test('a forged mark is ignored; the same secret accepts a genuine one in another process', () => {
    const [here, elsewhere] = [createKnownBrowsers('a'.repeat(32)), createKnownBrowsers('b'.repeat(32))]
    const mark = here.add(null, 'ada')
    expect(createKnownBrowsers('a'.repeat(32)).browserId(mark, 'ada')).toBe(mark.split('.')[0])
    expect(elsewhere.browserId(mark, 'ada')).toBeNull()
    expect(here.browserId(mark, 'bob')).toBeNull()
    const [, proof] = mark.split('.')
    expect(here.browserId(`${'A'.repeat(22)}.${proof}`, 'ada')).toBeNull()
  })

  test('one browser remembers its last five accounts, without duplicates', () => {
    const browsers = createKnownBrowsers('a'.repeat(32))
    let mark: string | null = null
    for (const id of ['one', 'two', 'three', 'three', 'four', 'five', 'six']) mark = browsers.add(mark, id)
    const known = ['one', 'two', 'three', 'four', 'five', 'six'].filter((id) => browsers.browserId(mark, id) !== null)
    expect(known).toEqual(['two', 'three', 'four', 'five', 'six'])
  })

  test('the mark alone signs nobody in', async () => {
    const { browser } = await signedInPerson(server)
    browser.cookies.delete('lectern')
    expect([...browser.cookies.keys()]).toContain('lectern-browser')
    expect((await browser.get('/account')).location).toContain('/sign-in')
  })
})
