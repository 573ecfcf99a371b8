import { beforeAll, describe, expect, test } from 'vitest'
import { issueLink } from '../../src/accounts/issue-link.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { password, signedInPerson, signIn, type WebPerson } from '../support/signed-in-person.ts'
import { webClient } from '../support/web-client.ts'

const server = useTestServer({ LECTERN_ROLE: 'web', LECTERN_SIGNUP: 'open' })
let person: WebPerson

beforeAll(async () => {
  person = await signedInPerson(server)
})

const inputsOf = (page: string) => page.match(/<input\b[^>]*>/g) ?? []
const attribute = (input: string, name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(input)?.[1] ?? null

const linkTo = async (kind: 'reset' | 'invite') => {
  const { id } = await server.createPerson()
  const { url } = await issueLink(server.running.opened.services, kind, id)
  return url.slice(server.baseUrl.length)
}

describe('the password fields', () => {
  test.for<[string, () => Promise<string>, boolean, string[]]>([
    ['of the sign-in', async () => '/sign-in', false, ['current-password']],
    ['of the sign-up', async () => '/sign-up', false, ['new-password', 'new-password']],
    ['of a reset link', () => linkTo('reset'), false, ['new-password', 'new-password']],
    ['of an invitation', () => linkTo('invite'), false, ['new-password', 'new-password']],
    ['of the account', async () => '/account', true, ['current-password', 'new-password', 'new-password']],
    ['of the deletion', async () => '/account/delete', true, ['current-password']],
  ])('%s are masked, and support password managers and pasting', async ([, address, signedIn, purposes]) => {
    const browser = signedIn ? person.browser : webClient(server)
    const { text } = await browser.get(await address())
    const fields = inputsOf(text).filter((input) => /name="(password|again|current)"/.test(input))
    expect(fields.map((field) => attribute(field, 'autocomplete'))).toEqual(purposes)
    for (const field of fields) {
      expect(attribute(field, 'type')).toBe('password')
      // No field may truncate or refuse pasted text.
      expect(field).not.toMatch(/\b(maxlength|pattern|readonly|on\w+)=/)
    }
    expect(text).not.toMatch(/hint for|secret question|mother’s|first pet/i)
  })
})

describe('a password', () => {
  test.for<[string, string]>([
    ['of 64 characters', 'correct horse battery staple and sixty four characters in all ...'.slice(0, 64)],
    ['of lower-case letters only', 'wandering otters painting quietly'],
    ['with spaces at both ends', '  wandering otters painting quietly  '],
    ['of other scripts and pictures', 'книга на краю моря \u{1f4da}\u{1f30a}'],
  ])('%s is accepted, and only exactly as typed', async ([, chosen]) => {
    const { browser, email } = await signedInPerson(server)
    const changed = await browser.submit('/account', '/account/password', {
      current: password,
      password: chosen,
      again: chosen,
    })
    expect(changed.location).toBe('/account?done=password')
    for (const other of [chosen.slice(0, -1), `${chosen} `, chosen.toUpperCase(), chosen.trim()].filter(
      (typed) => typed !== chosen,
    )) {
      expect([other, (await signIn(webClient(server), email, other)).status]).toEqual([other, 401])
    }
    expect((await signIn(webClient(server), email, chosen)).status).toBe(303)
  })

  test('can only be changed with the current one', async () => {
    const { browser, email } = await signedInPerson(server)
    const chosen = 'wandering otters painting quietly'
    for (const current of ['', 'not my password']) {
      const refused = await browser.submit('/account', '/account/password', {
        current,
        password: chosen,
        again: chosen,
      })
      expect([current, refused.status]).toEqual([current, 400])
    }
    expect((await signIn(webClient(server), email, chosen)).status).toBe(401)
    expect((await signIn(webClient(server), email)).status).toBe(303)
  })
})
