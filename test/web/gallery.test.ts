import { fileURLToPath } from 'node:url'
import { serve, type ServerType } from '@hono/node-server'
import { Hono } from 'hono'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pageHeaders } from '../../src/web/respond.ts'
import { mountAssets } from '../../src/web/design/assets.ts'
import type { Env } from '../../src/transport/request-state.ts'
import { expectPicture } from '../support/compare-pictures.ts'
import { chromiumNeed, describeWith, launchBrowser } from '../support/system-needs.ts'
import { galleryPage } from './gallery-page.ts'

/** Stored pictures of the gallery. */
const picture = (name: string) => fileURLToPath(new URL(`pictures/${name}.png`, import.meta.url))

describeWith(chromiumNeed)('the components of the pages', () => {
  let browser: Browser
  let server: ServerType
  let address = ''
  beforeAll(async () => {
    browser = await launchBrowser({ windows: true })
    const app = new Hono<Env>()
    app.use(async (c, next) => {
      c.set('requestState', {} as never)
      await next()
    })
    mountAssets(app)
    app.get('/gallery', async () => new Response(String(await galleryPage()), { headers: pageHeaders() }))
    const listening = Promise.withResolvers<AddressInfo>()
    server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, listening.resolve)
    address = `http://127.0.0.1:${(await listening.promise).port}/gallery`
  })
  afterAll(async () => {
    await browser?.close()
    server?.close()
  })

  test.for([
    [1280, 'light'],
    [1280, 'dark'],
    [360, 'light'],
    [360, 'dark'],
  ] as const)('look unchanged at %d px, %s', { timeout: 60_000 }, async ([width, colorScheme]) => {
    const options = { viewport: { width, height: 800 }, colorScheme, reducedMotion: 'reduce' } as const
    const page = await browser.newPage(options)
    const problems: string[] = []
    page.on('console', (message) => problems.push(message.text()))
    await page.goto(address, { waitUntil: 'networkidle' })
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    await expectPicture(page, picture(`gallery-${width}-${colorScheme}`), { fullPage: true, share: 0.01 })
    expect(problems).toEqual([])
    await page.close()
  })

  test('leave the focus to a wrong field that the browser draws after it has run the scripts', async () => {
    const page = await browser.newPage()
    const problems: string[] = []
    page.on('console', (message) => problems.push(message.text()))
    await page.route(address, async (route) => {
      const response = await route.fetch()
      const late = '<head><script async blocking="render" src="/late.js"></script>'
      await route.fulfill({ response, body: (await response.text()).replace('<head>', late) })
    })
    await page.route('**/late.js', async (route) => {
      await page.waitForEvent('domcontentloaded')
      await route.fulfill({ contentType: 'text/javascript', body: '' })
    })
    await page.goto(address)
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('email')
    expect(problems).toEqual([])
    await page.close()
  })
})
