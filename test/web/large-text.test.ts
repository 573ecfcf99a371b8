import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { publishBook } from '../support/marketplace.ts'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'
import { chromiumNeed, describeWith, launchBrowser } from '../support/system-needs.ts'
import { importFile } from '../support/uploads.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer()

describeWith(chromiumNeed)('with text at 200 % on a phone', () => {
  let browser: Browser
  let ada: WebPerson
  let book: string

  beforeAll(async () => {
    browser = await launchBrowser()
    ada = await signedInPerson(server, { name: 'Ada' })
    const { key } = await createApiKey(server.running.opened.services, ada.account.id, {})
    book = (await importFile(server, { key }, { filename: 'Notes.md', bytes: Buffer.from('# Notes') })).itemId
    await publishBook(server, await server.createPerson(), { title: 'Soap at Home', terms: { category: 'science' } })
  })
  afterAll(() => browser?.close())

  test.for([
    ['Discover', (): string => '/discover'],
    ['a book with its file', (): string => `/books/${book}`],
  ] as const)('%s fits the window', async ([, path]) => {
    const context = await browser.newContext({ viewport: { width: 360, height: 740 } })
    onTestFinished(() => context.close())
    const value = ada.browser.cookies.get('lectern') ?? ''
    await context.addCookies([{ name: 'lectern', value, url: server.baseUrl }])
    const page = await context.newPage()
    const devTools = await context.newCDPSession(page)
    await devTools.send('Page.setFontSizes', { fontSizes: { standard: 32 } })
    await page.goto(server.baseUrl + path())
    expect(await page.evaluate('getComputedStyle(document.documentElement).fontSize')).toBe('32px')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
  })
})
