import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeBook } from '../support/make-book.ts'
import { signedInPerson } from '../support/signed-in-person.ts'
import { chromiumNeed, describeWith, launchBrowser } from '../support/system-needs.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
const widths = [320, 430, 560, 640, 700, 800, 900, 1000, 1100, 1280]

describeWith(chromiumNeed)('the menus of a page', () => {
  let browser: Browser
  let page: Page
  let book: string

  beforeAll(async () => {
    browser = await launchBrowser()
    const { account, browser: client } = await signedInPerson(server, { name: 'Ada Lovelace' })
    book = await makeBook(server, account, { title: 'The Sea' })
    const { notifications, now } = server.running.opened.services
    await notifications.add({
      id: 'n1',
      accountId: account.id,
      type: 'import_failed',
      title: 'A notification',
      body: 'words that fill the whole width of the menu, '.repeat(5),
      metadata: {},
      createdAt: now(),
      readAt: null,
    })
    page = await browser.newPage()
    const value = client.cookies.get('lectern') ?? ''
    await page.context().addCookies([{ name: 'lectern', value, url: server.baseUrl }])
  })
  afterAll(() => browser?.close())

  test.for([
    ['the library', (): string => '/library', ['Sort']],
    ['the header', (): string => '/teams', ['Notifications', 'Ada']],
    ['the marketplace', (): string => '/discover', ['Sort']],
    ['a book', (): string => `/books/${book}`, ['Export', 'Delete']],
  ] as const)('of %s stay within the window, however wide it is', async ([, path, names]) => {
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(server.baseUrl + path())
    for (const name of names) {
      await page.locator('summary', { hasText: name }).click()
      const panel = page.locator('details[open] > .menu-panel')
      await panel.getByRole('link').or(panel.getByRole('button')).first().waitFor()
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 })
        const box = await panel.boundingBox()
        expect(box?.x, `${name}, left, at ${width}`).toBeGreaterThanOrEqual(0)
        expect((box?.x ?? 0) + (box?.width ?? 0), `${name}, right, at ${width}`).toBeLessThanOrEqual(width)
      }
      await page.keyboard.press('Escape')
    }
  })
})
