import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { reopenAccount } from '../../src/accounts/close-account.ts'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { transports, send, sendMcp } from '../support/transports.ts'
import { dayInWords } from '../../src/core/day-in-words.ts'
import { startSmtpServer, type SmtpServer } from '../support/smtp-server.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { webClient } from '../support/web-client.ts'
import { password, signedInPerson, signIn } from '../support/signed-in-person.ts'

let server: TestServer
let smtp: SmtpServer

beforeAll(async () => {
  smtp = await startSmtpServer()
  server = await startTestServer({ LECTERN_ROLE: 'web', LECTERN_SMTP_URL: smtp.url })
})
afterAll(async () => {
  await server.close()
  await smtp.close()
})

async function personWithKey() {
  const person = await signedInPerson(server)
  const { key } = await createApiKey(server.running.opened.services, person.account.id, {})
  return { ...person, key }
}

const close = ({ browser }: Pick<Awaited<ReturnType<typeof personWithKey>>, 'browser'>, current = password) =>
  browser.submit('/account/delete', '/account/delete', { current })

const inAWeek = () => dayInWords(new Date(Date.now() + 7 * 24 * 60 * 60 * 1000))

describe('the page to delete an account', () => {
  test('the account page links to account deletion, which asks for the password', async () => {
    const { browser } = await personWithKey()
    expect((await browser.get('/account')).text).toContain('href="/account/delete"')
    const answer = await close({ browser }, 'not my password')
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('This is not your current password.')
    expect((await browser.get('/account')).status).toBe(200)
  })

  test('account deletion needs a session and its CSRF token', async () => {
    expect((await webClient(server).get('/account/delete')).location).toBe('/sign-in?next=%2Faccount%2Fdelete')
    const { browser } = await personWithKey()
    expect((await browser.post('/account/delete', { current: password, csrf: 'x' })).status).toBe(403)
    expect((await browser.get('/account')).status).toBe(200)
  })

  test('account deletion limits wrong passwords without locking out anybody else', async () => {
    const { browser, email } = await personWithKey()
    for (let count = 0; count < 10; count++) await close({ browser }, 'not my password')
    expect((await close({ browser })).status).toBe(429)
    expect((await signIn(webClient(server), email)).status).toBe(303)
  })
})

describe('a closed account', () => {
  test('a closed account is refused over every transport at once, with the date until which it can be restored', async () => {
    const person = await personWithKey()
    const elsewhere = webClient(server)
    await signIn(elsewhere, person.email)
    const day = inAWeek()
    const answer = await close(person)
    expect(answer.location).toBe('/sign-in?done=closed')
    expect(person.browser.cookies.has('lectern')).toBe(false)
    expect((await person.browser.get('/sign-in?done=closed')).text).toMatch(
      /Your account is closed[^<]* can reopen it\./,
    )

    expect((await elsewhere.get('/account')).status).toBe(303)
    const signedIn = await signIn(webClient(server), person.email)
    expect(signedIn.status).toBe(403)
    // It is two if midnight passes during the test.
    expect([day, inAWeek()].some((one) => signedIn.text.includes(one))).toBe(true)
    expect((await send(server, person.key, { method: 'GET', path: '/api/v1/items' })).status).toBe(403)
    expect((await sendMcp(server, person.key, { method: 'tools/list' })).status).toBe(403)
    const mail = await smtp.next()
    expect(mail.to).toEqual([person.email])
    expect(mail.text).toContain('is closed')
    expect([day, inAWeek()].some((one) => mail.text.includes(`On ${one} it will be erased`))).toBe(true)
  })

  test('only somebody who knows the password learns that an account is closed', async () => {
    const person = await personWithKey()
    await close(person)
    await smtp.next()
    const answer = await signIn(webClient(server), person.email, 'not my password')
    expect([answer.status, answer.text.includes('closed')]).toEqual([401, false])
  })

  test('a restored account has all its data', async () => {
    const person = await personWithKey()
    await close(person)
    await smtp.next()
    const { services } = server.running.opened
    await reopenAccount(services, person.account)
    expect((await signIn(webClient(server), person.email)).status).toBe(303)
    for (const [, transport] of transports) expect((await transport.call(server, person, 'list_items')).ok).toBe(true)
    expect(await services.accounts.byId(person.account.id)).toMatchObject({ deletedAt: null, suspendedAt: null })
  })

  test('a closed account keeps its email address until it is erased', async () => {
    const person = await personWithKey()
    await close(person)
    await smtp.next()
    await expect(server.running.opened.services.accounts.create({ ...person.account, id: 'another' })).rejects.toThrow(
      'There is an account',
    )
  })
})
