import { describe, expect, test } from 'vitest'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { issueLink } from '../../src/accounts/issue-link.ts'
import { callMcp, registerProgram } from '../support/oauth.ts'
import { send } from '../support/transports.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { webClient, type Fields, type PageAnswer } from '../support/web-client.ts'
import { password, signedInPerson, type WebPerson } from '../support/signed-in-person.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
const fresh = { password: 'some other words', again: 'some other words' }
const tick = /<input type="checkbox" name="revokeAccess" value="on" (checked)?/

/** Creates an account with a key and an app, as an attacker who knows the password could have made them. */
async function personWithAccess() {
  const person = await signedInPerson(server)
  const { key } = await createApiKey(server.running.opened.services, person.account.id, {})
  const program = await registerProgram(server)
  const tokens = await program.connect(person.browser)
  const works = async () => ({
    key: (await send(server, key, { method: 'GET', path: '/api/v1/auth/whoami' })).status,
    app: (await callMcp(server, tokens.access_token)).status,
  })
  const refresh = async () => (await program.refresh(tokens.refresh_token)).status
  expect(await works()).toEqual({ key: 200, app: 200 })
  return { ...person, works, refresh }
}

/** Returns the form value that a browser sends if the user does not change the checkbox. */
const asShown = (page: PageAnswer): Fields => (tick.exec(page.text)?.[1] ? { revokeAccess: 'on' } : {})

async function reset({ account }: WebPerson, change: (page: PageAnswer) => Fields) {
  const { url } = await issueLink(server.running.opened.services, 'reset', account.id)
  const [browser, path] = [webClient(server), url.replace(server.baseUrl, '')]
  return browser.submit(path, '/reset', { ...fresh, ...change(await browser.get(path)) })
}

async function changePassword({ browser }: WebPerson, change: (page: PageAnswer) => Fields) {
  const fields = { ...fresh, current: password, ...change(await browser.get('/account')) }
  return browser.submit('/account', '/account/password', fields)
}

describe('keys and apps that were created with a stolen password', () => {
  test('end with a reset by the default form', async () => {
    const person = await personWithAccess()
    expect((await reset(person, asShown)).location).toBe('/sign-in?done=reset')
    expect(await person.works()).toEqual({ key: 401, app: 401 })
    expect(await person.refresh()).toBe(400)
  })

  test('stay after a reset with the box unchecked', async () => {
    const person = await personWithAccess()
    expect((await reset(person, () => ({}))).location).toBe('/sign-in?done=reset')
    expect(await person.works()).toEqual({ key: 200, app: 200 })
  })

  test('end with a change of the password with the box checked', async () => {
    const person = await personWithAccess()
    const answer = await changePassword(person, () => ({ revokeAccess: 'on' }))
    expect(answer.location).toBe('/account?done=password-and-access')
    expect((await person.browser.get(answer.location as string)).text).toContain('API keys are revoked')
    expect(await person.works()).toEqual({ key: 401, app: 401 })
  })

  test('stay after a change by the default form', async () => {
    const person = await personWithAccess()
    expect((await changePassword(person, asShown)).location).toBe('/account?done=password')
    expect(await person.works()).toEqual({ key: 200, app: 200 })
  })

  test('stay if the new password is refused, and the box keeps its state', async () => {
    const person = await personWithAccess()
    const answer = await changePassword(person, () => ({ revokeAccess: 'on', current: 'a wrong guess' }))
    expect([answer.status, tick.exec(answer.text)?.[1]]).toEqual([400, 'checked'])
    const unticked = await reset(person, () => ({ again: 'else' }))
    expect([unticked.status, tick.exec(unticked.text)?.[1]]).toEqual([400, undefined])
    expect(await person.works()).toEqual({ key: 200, app: 200 })
  })
})
