import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { readsUsed } from '../support/charge-reads.ts'
import { makeUnfinishedBook } from '../support/unfinished-book.ts'
import { chromiumNeed, describeWith, launchBrowser } from '../support/system-needs.ts'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let ada: WebPerson

beforeAll(async () => {
  ada = await signedInPerson(server)
})

const unfinished = (total: number | null = 30) =>
  makeUnfinishedBook(server, ada.account, { title: 'The Long Road', total })
const reads = () => readsUsed(server, ada.account)

describe('a book that is still being imported, without JavaScript', () => {
  test('shows how much can be read, with a link', async () => {
    const book = await unfinished()
    const before = await ada.browser.get(`/books/${book.id}`)
    expect(before.text).not.toContain('Read from page 1')
    await book.show('One.', 'Two.')
    const used = await reads()
    const { text } = await ada.browser.get(`/books/${book.id}`)
    expect(text).toContain('This book is still being imported: 2 of 30 pages can be read so far.')
    expect(text).toContain(`href="/books/${book.id}/pages/1">Read from page 1</a>`)
    expect(text).toContain('2 of 30 pages so far')
    expect(await reads()).toBe(used)
    await book.finish()
    const ready = await ada.browser.get(`/books/${book.id}`)
    expect(ready.text).not.toContain('so far')
  })

  test('is read page by page, for one read like any other book; every URL shows the same page later', async () => {
    const book = await unfinished()
    await book.show('The first page.', 'The second page.')
    const used = await reads()
    const { status, text } = await ada.browser.get(`/books/${book.id}/pages/2`)
    expect(status).toBe(200)
    expect(text).toContain('The second page.')
    expect(text).toContain('still being imported: 2 of 30 pages')
    expect(text).toContain('<span>of 30</span>')
    expect(text).toContain(`rel="next" href="/books/${book.id}/pages/3"`)
    expect(await reads()).toBe(used + 1)
    const addresses = [...text.matchAll(/href="(\/books\/[^"]*\/pages\/[12][^"]*)"/g)].map(([, path = '']) => path)
    expect(addresses).toContain(`/books/${book.id}/pages/2?as=stored`)
    expect(addresses.filter((path) => path.includes('v=0') || /\/\d+&/.test(path))).toEqual([])
    for (const path of addresses) expect((await ada.browser.get(path.replaceAll('&amp;', '&'))).status, path).toBe(200)
    await book.finish()
    for (const path of addresses) expect((await ada.browser.get(path.replaceAll('&amp;', '&'))).status, path).toBe(200)
  })

  test('has a waiting page for a page that is not available yet, free of charge', async () => {
    const book = await unfinished()
    await book.show('One.')
    const used = await reads()
    const waiting = await ada.browser.get(`/books/${book.id}/pages/2`)
    expect(waiting.status).toBe(200)
    expect(waiting.text).toContain('Page 2 is not ready yet')
    expect(waiting.text).toContain(`href="/books/${book.id}/pages/2">Check again</a>`)
    expect(await reads()).toBe(used)
    expect((await ada.browser.get(`/books/${book.id}/pages/31`)).status).toBe(404)
    expect((await ada.browser.get(`/books/${book.id}/pages/2?v=1`)).status).toBe(404)
    await book.show('Two.')
    expect((await ada.browser.get(`/books/${book.id}/pages/2`)).text).toContain('Two.')
  })

  test('of unknown length is waited for page by page to its end', async () => {
    const book = await unfinished(null)
    await book.show('One.')
    expect((await ada.browser.get(`/books/${book.id}/pages/1`)).text).toContain('rel="next"')
    expect((await ada.browser.get(`/books/${book.id}/pages/2`)).text).toContain('Page 2 is not ready yet')
    await book.finish()
    expect((await ada.browser.get(`/books/${book.id}/pages/1`)).text).not.toContain('rel="next"')
    expect((await ada.browser.get(`/books/${book.id}/pages/2`)).status).toBe(404)
  })

  test('is invisible to others, including its progress', async () => {
    const book = await unfinished()
    await book.show('One.')
    const stranger = await signedInPerson(server)
    expect((await stranger.browser.get(`/books/${book.id}/unfinished`)).status).toBe(404)
    expect((await stranger.browser.get(`/books/${book.id}/pages/2`)).status).toBe(404)
    const own = await ada.browser.get(`/books/${book.id}/unfinished`)
    expect(JSON.parse(own.text)).toEqual({
      unfinished: true,
      pagesReady: 1,
      words: 'This book is still being imported: 1 of 30 pages can be read so far.',
    })
  })
})

describeWith(chromiumNeed)('a book that is still being imported, in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser?.close())

  async function open(path: string) {
    const context: BrowserContext = await browser.newContext()
    onTestFinished(() => context.close())
    const value = ada.browser.cookies.get('lectern') ?? ''
    await context.addCookies([{ name: 'lectern', value, url: server.baseUrl }])
    const page = await context.newPage()
    await page.goto(server.baseUrl + path)
    return page
  }

  test('the requested page opens automatically, for one read', async () => {
    const book = await unfinished()
    await book.show('One.')
    const used = await reads()
    const page = await open(`/books/${book.id}/pages/3`)
    await book.show('Two.')
    await page.getByText('2 of 30 pages can be read so far').waitFor()
    await book.show('The third page is here.')
    await page.getByText('The third page is here.').waitFor()
    expect(await reads()).toBe(used + 1)
  })

  test('a reader sees the progress and the end, and keeps the position', async () => {
    const book = await unfinished()
    await book.show('The first page.', 'Two.')
    const page = await open(`/books/${book.id}/pages/1`)
    await book.show('Three.')
    await page.getByText('3 of 30 pages can be read so far').waitFor()
    expect(await page.getByRole('link', { name: 'See the book' }).isVisible()).toBe(false)
    await book.finish()
    await page.getByText('The whole book is ready now.').waitFor()
    expect(await page.getByText('The first page.').isVisible()).toBe(true)
    await page.getByRole('link', { name: 'See the book' }).click()
    await page.getByRole('link', { name: 'Read from page 1' }).or(page.getByText('Continue on page')).first().waitFor()
  })

  test('a reader is told when its import fails', async () => {
    const book = await unfinished()
    await book.show('The first page.')
    const page = await open(`/books/${book.id}/pages/1`)
    await book.fail('BROKEN')
    await page.getByText('The import of this book has failed. The file is damaged').waitFor()
  })
})
