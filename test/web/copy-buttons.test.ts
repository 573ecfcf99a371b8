import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'
import { chromiumNeed, describeWith, launchBrowser } from '../support/system-needs.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

describeWith(chromiumNeed)('a button copies', () => {
  let browser: Browser
  let context: BrowserContext
  let person: WebPerson
  beforeAll(async () => {
    browser = await launchBrowser()
    person = await signedInPerson(server)
  })
  afterAll(() => browser?.close())

  const open = async (path: string) => {
    context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
    const value = person.browser.cookies.get('lectern') ?? ''
    await context.addCookies([{ name: 'lectern', value, url: server.baseUrl }])
    const page = await context.newPage()
    await page.goto(server.baseUrl + path)
    return page
  }

  test('a new API key; without a clipboard, it selects the key', async () => {
    const page = await open('/keys')
    const create = async (name: string) => {
      await page.fill('[name=name]', name)
      await page.getByRole('button', { name: 'Create key' }).click()
      return page.getByLabel('API key', { exact: true }).inputValue()
    }
    const key = await create('Laptop')
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key)
    await page.addInitScript('Object.defineProperty(navigator, "clipboard", { value: undefined })')
    const second = await create('Desk')
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByText('The text is selected').waitFor()
    expect(await page.evaluate('getSelection().toString()')).toBe(second)
    await context.close()
  })

  test('the address of the server for assistants', async () => {
    const page = await open('/connect')
    await page.getByRole('button', { name: 'Copy' }).first().click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${server.baseUrl}/api/v1/mcp`)
    await context.close()
  })

  test('the link of an invitation', async () => {
    const { location } = await person.browser.submit('/teams', '/teams', { name: 'Readers' })
    const team = (location ?? '').split('?')[0] ?? ''
    const guest = await server.createPerson()
    await person.browser.submit(team, `${team}/invite`, { email: guest.email })
    const page = await open(team)
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const link = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(link).toMatch(new RegExp(`^${server.baseUrl}/invites/\\S+$`))
    await context.close()
  })
})
