import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'
import { chromiumNeed, describeWith, launchBrowser } from '../support/system-needs.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { hiddenFields } from '../support/web-client.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

/** Forms that create something, and redirect to it. */
const creating = [
  ['/teams', { name: 'Readers' }],
  ['/add/markdown', { title: 'A book', author: 'Ada', content: '# One' }],
  ['/report', { title: 'A report', body: 'It is broken.', type: 'bug' }],
] as const

describe('a form that arrives twice, as after a double click without JavaScript or a lost answer,', () => {
  test.for(creating)('at %s creates one thing; the same words in a new form create another', async ([path, fields]) => {
    const { browser } = await signedInPerson(server)
    const sent = { ...hiddenFields((await browser.get(path)).text, path), ...fields }
    const [first, second] = [await browser.post(path, sent), await browser.post(path, sent)]
    expect(first.status).toBe(303)
    expect(second).toMatchObject({ status: 303, location: first.location })
    const another = await browser.submit(path, path, fields)
    expect(another.status).toBe(303)
    expect(another.location).not.toBe(first.location)
  })

  test('at /shelves is not refused because of the shelf that it has created', async () => {
    const { browser } = await signedInPerson(server)
    const sent = { ...hiddenFields((await browser.get('/shelves')).text, '/shelves'), name: 'Sea' }
    for (let time = 1; time <= 2; time++)
      expect(await browser.post('/shelves', sent)).toMatchObject({ status: 303, location: '/shelves?done=created' })
    expect(await browser.submit('/shelves', '/shelves', { name: 'Sea' })).toMatchObject({ status: 409 })
  })
})

describeWith(chromiumNeed)('a form in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser?.close())

  /** Opens a form in a browser whose requests take long, and counts those that it sends. */
  async function open(person: WebPerson) {
    const context = await browser.newContext()
    onTestFinished(() => context.close())
    const value = person.browser.cookies.get('lectern') ?? ''
    await context.addCookies([{ name: 'lectern', value, url: server.baseUrl }])
    const page = await context.newPage()
    const sent: string[] = []
    await page.goto(`${server.baseUrl}/teams`)
    await page.route('**/teams', async (route) => {
      if (route.request().method() === 'POST') sent.push(route.request().url())
      await new Promise((resolve) => setTimeout(resolve, 500))
      await route.continue()
    })
    return { page, sent, button: page.getByRole('button', { name: 'Create team' }) }
  }

  test('is sent once by a double click', async () => {
    const person = await signedInPerson(server)
    const { page, sent, button } = await open(person)
    await page.getByLabel('Name').fill('Readers')
    await button.click({ clickCount: 2, delay: 60, noWaitAfter: true })
    await page.waitForURL('**/teams/*')
    expect(sent).toHaveLength(1)
    const { members } = server.running.opened.services
    expect(await members.listByAccount(person.account.id)).toHaveLength(1)
  })

  test('can be corrected and sent again, also after going back', async () => {
    const { page, sent, button } = await open(await signedInPerson(server))
    await button.click() // The browser asks for the name.
    for (const name of ['Readers', 'Writers']) {
      await page.getByLabel('Name').fill(name)
      await button.click()
      await page.waitForURL('**/teams/*')
      await page.goBack()
    }
    expect(sent).toHaveLength(2)
  })
})
