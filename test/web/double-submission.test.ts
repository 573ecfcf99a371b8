import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'
import { chromiumNeed, describeWith, launchBrowser } from '../support/system-needs.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

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
