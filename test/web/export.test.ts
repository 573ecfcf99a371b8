import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Browser } from 'playwright-core'
import { readArchive } from '../support/read-archive.ts'
import { signedInPerson } from '../support/signed-in-person.ts'
import { chromiumNeed, describeWith, launchBrowser } from '../support/system-needs.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { webClient } from '../support/web-client.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

test('the export requires a sign-in', async () => {
  expect((await webClient(server).get('/account/export')).location).toBe('/sign-in?next=%2Faccount%2Fexport')
})

test('the account page describes the export, as does the page for deleting the account', async () => {
  const { browser } = await signedInPerson(server)
  expect((await browser.get('/account')).text).toMatch(
    /<h2>Your data<\/h2>[\s\S]*one ZIP file[\s\S]*href="\/account\/export"/,
  )
  expect((await browser.get('/account/delete')).text).toContain('href="/account/export"')
})

describeWith(chromiumNeed)('in a browser without scripts', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser?.close())

  test.for([1000, 320])('a link downloads the archive, %d pixels wide', { timeout: 60_000 }, async (width) => {
    const { browser: client, email } = await signedInPerson(server)
    const context = await browser.newContext({ viewport: { width, height: 900 }, javaScriptEnabled: false })
    const cookies = [...client.cookies].map(([name, value]) => ({ name, value, url: server.baseUrl }))
    await context.addCookies(cookies)
    const page = await context.newPage()
    await page.goto(`${server.baseUrl}/account`)
    const link = page.getByRole('link', { name: 'Download your data' })
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
    expect(download.suggestedFilename()).toMatch(/^lectern-export-\d{4}-\d\d-\d\d\.zip$/)
    const { manifest } = await readArchive(await readFile(await download.path()))
    expect(manifest.account.email).toBe(email)
    await context.close()
  })
})
