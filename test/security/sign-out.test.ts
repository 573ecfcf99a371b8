import { describe, expect, test } from 'vitest'
import { makeBook } from '../support/make-book.ts'
import { signedInPerson } from '../support/signed-in-person.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { hiddenFields, webClient } from '../support/web-client.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

const pages = [
  '/account',
  '/account/delete',
  '/keys',
  '/connections',
  '/invites',
  '/library/usable',
  '/plans',
  '/cli-auth?port=8123',
  '/',
  '/connect',
  '/docs',
]

describe('signing out', () => {
  test('is offered by every page for signed-in users', async () => {
    const { browser, account } = await signedInPerson(server)
    const book = await makeBook(server, account, { content: 'text' })
    for (const page of [...pages, `/books/${book}`]) {
      const { text } = await browser.get(page)
      expect([page, hiddenFields(text, '/sign-out')['csrf']]).toEqual([page, expect.stringMatching(/^[\w-]{86}$/)])
      expect(text).toMatch(/Sign out\s*<\/button>/)
    }
  })

  test('leaves no session in the browser, and no page that can be shown again', async () => {
    const { browser, email } = await signedInPerson(server)
    const token = browser.cookies.get('lectern') ?? ''
    expect(token).toMatch(/^[\w-]{43}$/)
    const copy = webClient(server, new Map(browser.cookies))
    const shown = await browser.get('/account')
    expect(shown.headers.get('cache-control')).toBe('no-store')
    // Data elsewhere than in cookies could only be stored by scripts.
    expect(shown.text).not.toMatch(/<script(?! type="module" src="\/assets\/)/)
    await browser.submit('/account', '/sign-out', {})
    expect(browser.cookies.has('lectern')).toBe(false)
    const left = [...browser.cookies].flat().join(' ')
    for (const secret of [token, email]) expect(left).not.toContain(secret)
    for (const page of ['/account', '/keys', '/connections', '/invites']) {
      expect([page, (await copy.get(page)).location]).toEqual([page, expect.stringMatching(/^\/sign-in\?next=/)])
    }
  })
})
