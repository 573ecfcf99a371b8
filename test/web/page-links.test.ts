import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Browser } from 'playwright-core'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { putItemPage } from '../../src/writing/put-item-page.ts'
import { contextOf } from '../support/context.ts'
import { buildEpub } from '../support/epub.ts'
import { makeBook } from '../support/make-book.ts'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'
import { chromiumNeed, describeWith, launchBrowser } from '../support/system-needs.ts'
import { transports } from '../support/transports.ts'
import { importFile } from '../support/uploads.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer()
let ada: WebPerson
let key: string
let book: string

const filler = '<p>The tide went out and left the boats on the sand for the night.</p>'.repeat(20)

beforeAll(async () => {
  ada = await signedInPerson(server, { name: 'Ada' })
  key = (await createApiKey(server.running.opened.services, ada.account.id, {})).key
  const bytes = await buildEpub({
    chapters: {
      'contents.xhtml':
        '<ul><li><a href="ebb.xhtml">The Ebb</a></li><li><a href="flood.xhtml#f">The Flood</a></li></ul>',
      'ebb.xhtml': `<h1>The Ebb</h1><p>The keeper knew <a href="flood.xhtml#gale">the great gale</a> of that winter.</p>${filler}`,
      'flood.xhtml': `<h1 id="f">The Flood</h1>${filler}<p id="gale">The albatross slept through the gale.</p>`,
      'index.xhtml': '<h1>Index</h1><p>albatross, <a href="flood.xhtml#gale">212</a></p>',
    },
  })
  const imported = await importFile(server, { key }, { filename: 'Tides.epub', bytes })
  expect(imported.item).toMatchObject({ status: 'READY', pageCount: 4 })
  book = imported.itemId
})

describe.for(transports)('links within a book over %s', ([, transport]) => {
  const call = (tool: string, input: Record<string, unknown>) => transport.call(server, { key }, tool, input)

  test('name the page to which they lead', async () => {
    const { body, text } = await call('read_items', { items: [{ id: book, pages: '1-4' }] })
    const read = `${JSON.stringify(body)} ${text}`
    for (const link of ['[The Ebb](page:2)', '[The Flood](page:3)', '[the great gale](page:3)', '[212](page:3)'])
      expect(read).toContain(link)
  })

  test('are words like others in search and citations', async () => {
    const { body } = await call('search_items', { query: '"knew the great gale of that winter"' })
    const [hit] = body.items[0].hits
    expect(hit).toMatchObject({ page: 2 })
    expect(JSON.stringify(hit)).not.toContain('(page:')
    const quote = 'The keeper knew the great gale of that winter.'
    const checked = await call('check_citations', { citations: [{ itemId: book, page: 2, quote }] })
    expect(checked.body.citations).toEqual([expect.objectContaining({ found: true })])
  })
})

describe('links on a page of a book', () => {
  const hrefOf = (text: string, words: string) => new RegExp(`<a [^<>]*href="([^"]*)"[^<>]*>${words}<`).exec(text)?.[1]

  test('keep the version and the picture of the page', async () => {
    const { text } = await ada.browser.get(`/books/${book}/pages/4?picture=1`)
    expect(hrefOf(text, '212')).toBe(`/books/${book}/pages/3?v=1&amp;picture=1`)
    expect(hrefOf(text, 'Exactly as stored')).toBe(`/books/${book}/pages/4?v=1&amp;picture=1&amp;as=stored`)
  })

  test('lead to the editor only where there is one: on the current version of a Markdown book', async () => {
    const { text } = await ada.browser.get(`/books/${book}/pages/2`)
    expect(hrefOf(text, 'Edit this page')).toBeUndefined()
    const written = await makeBook(server, ada.account, { content: '# Ebb\n\nThe boats lie on the sand.\n' })
    await putItemPage(await contextOf(server, ada.account), { id: written, pageNum: 1, content: '# Flood\n' })
    const current = await ada.browser.get(`/books/${written}/pages/1`)
    expect(hrefOf(current.text, 'Edit this page')).toBe(`/books/${written}/edit/1`)
    const earlier = await ada.browser.get(`/books/${written}/pages/1?v=1`)
    expect(hrefOf(earlier.text, 'Edit this page')).toBeUndefined()
  })

  test('name the version also without options', async () => {
    const { text } = await ada.browser.get(`/books/${book}/pages/2`)
    expect(hrefOf(text, 'the great gale')).toBe(`/books/${book}/pages/3?v=1`)
  })
})

describeWith(chromiumNeed)('links within a book in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser?.close())

  test('open the page to which they lead', async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    onTestFinished(() => context.close())
    await context.addCookies([...ada.browser.cookies].map(([name, value]) => ({ name, value, url: server.baseUrl })))
    const page = await context.newPage()
    await page.goto(`${server.baseUrl}/books/${book}/pages/1`)
    await page.getByRole('main').getByRole('link', { name: 'The Flood', exact: true }).last().click()
    await page.waitForURL(/\/pages\/3/)
    await page.goto(`${server.baseUrl}/books/${book}/pages/4`)
    await page.getByRole('link', { name: '212', exact: true }).click()
    await page.waitForURL(/\/pages\/3/)
    expect(await page.getByRole('main').textContent()).toContain('The albatross slept through the gale.')
  })
})
