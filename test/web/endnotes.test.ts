import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Browser } from 'playwright-core'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { buildEpub } from '../support/epub.ts'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'
import { chromiumNeed, describeWith, launchBrowser } from '../support/system-needs.ts'
import { transports } from '../support/transports.ts'
import { importFile } from '../support/uploads.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer()
let ada: WebPerson
let key: string
let book: string

const mark = (number: number, id: string): string => `<a id="r${id}" href="notes.xhtml#n${id}"><sup>${number}</sup></a>`
const note = (number: number, id: string, [file, text]: [string, string]): string =>
  `<p><a id="n${id}" href="${file}.xhtml#r${id}">${number}</a>. ${text}</p>`
const filler = '<p>The tide went out and left the boats on the sand for the night.</p>'.repeat(20)

beforeAll(async () => {
  ada = await signedInPerson(server, { name: 'Ada' })
  key = (await createApiKey(server.running.opened.services, ada.account.id, {})).key
  const bytes = await buildEpub({
    chapters: {
      'one.xhtml': `<h1>Ebb</h1><p>The keeper wrote${mark(1, 'a')} of the narwhal${mark(2, 'b')} in his log.</p>${filler}`,
      'two.xhtml': `<h1>Flood</h1>${filler}<p>The albatross sleeps while flying.${mark(1, 'c')}</p>`,
      'notes.xhtml': `<h1>Notes</h1><h2>Ebb</h2>${note(1, 'a', ['one', 'The log is kept in Bergen, shelf <i>twelve</i>.'])}${note(2, 'b', ['one', 'Its tusk is of ivory.'])}<h2>Flood</h2>${note(1, 'c', ['two', 'So says Lindqvist of the southern ocean.'])}`,
    },
    nav: '<nav epub:type="toc"><ol><li><a href="one.xhtml">Ebb</a></li><li><a href="two.xhtml">Flood</a></li><li><a href="notes.xhtml">Notes</a></li></ol></nav>',
  })
  const imported = await importFile(server, { key }, { filename: 'Tides.epub', bytes })
  expect(imported.item).toMatchObject({ status: 'READY', pageCount: 3 })
  book = imported.itemId
})

describe.for(transports)('endnotes over %s', ([, transport]) => {
  const call = (tool: string, input: Record<string, unknown>) => transport.call(server, { key }, tool, input)
  const textOf = async (tool: string, input: Record<string, unknown>): Promise<string> => {
    const { body, text } = await call(tool, input)
    return `${JSON.stringify(body)} ${text}`
  }

  test('are read with the page of their reference', async () => {
    const second = await textOf('read_items', { items: [{ id: book, pages: '2' }] })
    expect(second).toContain('flying.[^1]')
    expect(second).toContain('[^1]: So says Lindqvist of the southern ocean.')
    const all = await textOf('read_items', { items: [{ id: book, pages: '1-3' }] })
    expect(all.split('Lindqvist').length).toBe(second.split('Lindqvist').length)
    expect(all).toContain('[1–2](page:1)')
  })

  test('are found on that page, once', async () => {
    const { body } = await call('search_items', { query: 'Lindqvist' })
    const hits = body.items.flatMap((item: { hits: { page: number; chapter: string[] }[] }) => item.hits)
    expect(hits).toEqual([expect.objectContaining({ page: 2, chapter: ['Flood'] })])
  })

  test('can be cited there, as can sentences with note references', async () => {
    const quotes = [
      [1, 'The keeper wrote of the narwhal in his log.'],
      [1, 'The log is kept in Bergen, shelf twelve.'],
      [2, 'So says Lindqvist of the southern ocean.'],
    ] as const
    const citations = quotes.map(([page, quote]) => ({ itemId: book, page, quote }))
    const { body } = await call('check_citations', { citations })
    expect(body.citations.map(({ found }: { found: boolean }) => found)).toEqual([true, true, true])
  })

  test('leave a chapter in the table of contents', async () => {
    expect(await textOf('get_table_of_contents', { ids: [book] })).toMatch(/Notes/)
  })
})

describeWith(chromiumNeed)('endnotes in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser?.close())

  test('a reference links to its note and back, and the notes chapter to the pages of the references', async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    onTestFinished(() => context.close())
    await context.addCookies([...ada.browser.cookies].map(([name, value]) => ({ name, value, url: server.baseUrl })))
    const page = await context.newPage()
    await page.goto(`${server.baseUrl}/books/${book}/pages/1`)
    const marks = page.locator('sup.note-ref a')
    expect(await marks.allTextContents()).toEqual(['1', '2'])
    await marks.nth(1).click()
    const notes = page.locator('section.notes li')
    expect(await notes.nth(1).textContent()).toContain('Its tusk is of ivory.')
    expect(new URL(page.url()).hash).toBe('#p-note-2')
    await notes.nth(1).locator('a.note-back').click()
    expect(new URL(page.url()).hash).toBe('#p-ref-2')
    await page.goto(`${server.baseUrl}/books/${book}/pages/3`)
    const way = page.getByRole('link', { name: '1', exact: true }).last()
    await way.click()
    await page.waitForURL(/\/pages\/2/)
    expect(await page.locator('section.notes').textContent()).toContain('So says Lindqvist')
  })
})
