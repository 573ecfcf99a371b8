import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'
import { makeBook } from '../support/make-book.ts'
import { chromiumNeed, describeWith, launchBrowser } from '../support/system-needs.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

describeWith(chromiumNeed)('the answer to a form in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser?.close())

  async function open(path: string, person?: WebPerson, options: BrowserContextOptions = {}): Promise<Page> {
    person ??= await signedInPerson(server)
    const context = await browser.newContext({ viewport: { width: 320, height: 400 }, ...options })
    onTestFinished(() => context.close())
    const value = person.browser.cookies.get('lectern') ?? ''
    await context.addCookies([{ name: 'lectern', value, url: server.baseUrl }])
    const page = await context.newPage()
    await page.goto(server.baseUrl + path)
    return page
  }

  const createShelf = async (page: Page, name: string) => {
    await page.getByRole('form', { name: 'New shelf' }).getByLabel('Name').fill(name)
    await page.getByRole('button', { name: 'Create shelf' }).click()
  }

  /** The role and the text of the element that has the focus. */
  const focused = (page: Page) =>
    page.evaluate("[document.activeElement.getAttribute('role'), document.activeElement.textContent.trim()]")

  test('has the focus, whether the form was accepted or refused; Tab continues from there', async () => {
    const page = await open('/shelves')
    await createShelf(page, 'Sea')
    await expect.poll(() => focused(page)).toEqual(['status', 'Shelf created.'])
    await createShelf(page, 'Sea')
    await expect.poll(() => focused(page)).toEqual(['alert', 'A shelf with this name already exists'])
    expect(await page.evaluate('document.activeElement.getBoundingClientRect().bottom <= innerHeight')).toBe(true)
    await page.keyboard.press('Tab')
    expect(await page.evaluate("document.activeElement.closest('main') !== null")).toBe(true)
  })

  test('leaves the focus in a wrong field, and the former place of a page to which the visitor goes back', async () => {
    const page = await open('/account')
    await page.getByLabel('Current password').fill('not my password')
    for (const label of ['New password', 'Confirm new password'])
      await page.getByLabel(label, { exact: true }).fill('four random words here')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.locator('[aria-invalid="true"]').waitFor()
    expect(await page.evaluate('document.activeElement.name')).toBe('current')
    await page.goto(`${server.baseUrl}/account?done=name`)
    await expect.poll(() => focused(page)).toEqual(['status', 'Name changed.'])
    await page.goto(`${server.baseUrl}/keys`)
    await page.goBack()
    await page.getByText('Name changed.').waitFor()
    expect(await page.evaluate('document.activeElement === document.body')).toBe(true)
  })

  test.for([[true], [false]])(
    'is at the section of the form and visible on a long page; script: %s',
    async ([javaScriptEnabled]) => {
      const person = await signedInPerson(server)
      const page = await open(`/books/${await makeBook(server, person.account)}`, person, { javaScriptEnabled })
      await page.getByText('Publish…').click()
      await page.getByRole('button', { name: 'Publish' }).click()
      await page.waitForURL(/\?done=publish#/)
      const notice = page.locator('#done')
      expect(await notice.textContent()).toBe('Published on the marketplace.')
      expect(await page.locator('#done + section h2').textContent()).toBe('Marketplace')
      const box = await notice.boundingBox()
      expect(box?.y).toBeGreaterThanOrEqual(0)
      expect(box?.y).toBeLessThan(300)
      if (javaScriptEnabled) await expect.poll(() => focused(page)).toEqual(['status', 'Published on the marketplace.'])
    },
  )

  test('begins with the first password if the two differ, because both have to be typed again', async () => {
    const page = await open('/account')
    await page.getByLabel('Current password').fill('four words of mine')
    await page.getByLabel('New password', { exact: true }).fill('four random words here')
    await page.getByLabel('Confirm new password').fill('four random words there')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.locator('[aria-invalid="true"]').waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('password')
    expect(await page.getAttribute('#password', 'aria-describedby')).toBe('password-hint again-problem')
  })

  test.for([
    ['/add/markdown', 'Title', 'Text'],
    ['/report', 'Summary', 'What happened'],
  ] as const)('is not needed to keep the text typed at %s, after a click on a link and on Back', async (texts) => {
    const [path, title, body] = texts
    const page = await open(path)
    await page.getByLabel(title, { exact: true }).fill('A title')
    await page.getByLabel(body, { exact: true }).fill('A text')
    await page.getByRole('link', { name: 'Discover' }).click()
    await page.waitForURL('**/discover')
    await page.goBack()
    await expect.poll(() => page.getByLabel(body, { exact: true }).inputValue()).toBe('A text')
    expect(await page.getByLabel(title, { exact: true }).inputValue()).toBe('A title')
  })
})
