import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chromiumNeed, describeWith, launchBrowser } from '../support/system-needs.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let browser: Browser

describeWith(chromiumNeed)('the HTML pages', () => {
  beforeAll(async () => {
    server = await startTestServer()
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })

  test.for([
    ['/', 320, 'light'],
    ['/', 1280, 'dark'],
    ['/docs', 320, 'dark'],
    ['/docs', 1280, 'light'],
  ] as const)(
    '%s at %d px, %s: nothing remote, nothing refused, nothing cut off',
    async ([path, width, colorScheme]) => {
      const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme, javaScriptEnabled: true })
      const problems: string[] = []
      page.on('console', (message) => problems.push(message.text()))
      page.on('requestfailed', (request) => problems.push(request.url()))
      page.on('request', (request) => {
        if (!request.url().startsWith(server.baseUrl)) problems.push(request.url())
      })
      const response = await page.goto(server.baseUrl + path)
      expect(response?.status()).toBe(200)
      expect(response?.headers()['content-security-policy']).toContain("default-src 'none'")
      expect(await page.locator('h1').count()).toBe(1)
      expect(await page.locator('script:not([src])').count()).toBe(0)
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
      expect(problems).toEqual([])
      await page.close()
    },
  )

  test('the collapsed parts of the API reference open by keyboard', async () => {
    const page = await browser.newPage()
    await page.goto(`${server.baseUrl}/docs?q=read_items`)
    await page.locator('.docs-results a[href$="#read_items"]').click()
    const operation = page.locator('#read_items')
    await operation.locator('summary').first().focus()
    await page.keyboard.press('Enter')
    expect(await operation.locator('details').first().getAttribute('open')).not.toBeNull()
    expect(await operation.locator('.field-list .field-list li').first().isVisible()).toBe(true)
    await page.close()
  })
})
