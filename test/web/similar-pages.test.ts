import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { makeBook } from '../support/make-book.ts'
import { pictureReader, type PictureReader } from '../support/picture-client.ts'
import { chromiumNeed, describeWith, launchBrowser } from '../support/system-needs.ts'
import { callOverRest } from '../support/uploads.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let person: PictureReader
let soap: string
let washing: string

beforeAll(async () => {
  person = await pictureReader(server)
  soap = await makeBook(server, person, {
    title: 'On <i>soap</i>',
    content: '# Lye\n\nSoap is boiled from lye, tallow and brine.\n# Lighthouses\n\nKeepers polished lenses at dusk.\n',
  })
  washing = await makeBook(server, person, {
    title: 'Washing',
    content: '# Kettles\n\nTallow and lye make soap; brine parts it.\n# Starch\n\nCollars were stiff.\n',
  })
})

const similar = (query: string) => person.browser.get(`/search?${query}`)

describe('similar pages', () => {
  test('are linked on the page of a book, with passages and a link back', async () => {
    const reader = await person.browser.get(`/books/${soap}/pages/1`)
    expect(reader.text).toMatch(new RegExp(`<a href="/search\\?like=${soap}%3A1"[^>]*>Find pages like this one</a`))
    const { status, text } = await similar(`like=${soap}:1`)
    expect(status).toBe(200)
    expect(text).toMatch(/Pages like page 1 of <span dir="auto">On &lt;i&gt;soap&lt;\/i&gt;<\/span>/)
    expect(text).toContain(`href="/books/${soap}/pages/1"`)
    expect(text).toContain('Tallow and lye make soap; brine parts it.')
    expect(text).toContain('1 book found')
    expect(text).not.toContain(`/books/${soap}/pages/2`)
    // No words are highlighted, because none were typed.
    expect(text).not.toContain('<mark>')
  })

  test('open without changing the reading position', async () => {
    const { text } = await similar(`like=${soap}:1`)
    const [, address = ''] = /class="found-page"\s+href="([^"]+)"/.exec(text) ?? []
    expect(address).toContain(`/books/${washing}/pages/1?v=1&amp;mark=#quote=`)
    await person.browser.get(address.replaceAll('&amp;', '&').replace(/#.*/, ''))
    const { readingPositions } = server.running.opened.services
    await readingPositions.flush()
    expect((await readingPositions.find(person.id, [washing])).size).toBe(0)
  })

  test('keep their page when the books are filtered', async () => {
    const { text } = await similar(`like=${soap}:1`)
    expect(text).toContain(`href="/search?like=${soap}%3A1&amp;books=own"`)
    const others = await similar(`like=${soap}:1&books=others`)
    expect(others.text).toContain('No similar page')
    expect(others.text).toContain(`href="/search?like=${soap}%3A1"`)
  })

  test('are reported as none if nothing is similar', async () => {
    const { status, text } = await similar(`like=${soap}:2`)
    expect([status, text.includes('No similar page found.'), text.includes('No similar page')]).toEqual([
      200,
      true,
      true,
    ])
  })

  test.for([
    ['of a book that does not exist', (): string => 'like=nobook:1', 404, /no such book in your library/],
    ['of a page that the book does not have', (): string => `like=${soap}:99`, 404, /This book has 2 pages/],
  ] as const)('%s are refused on the page', async ([, query, status, message]) => {
    const answer = await similar(query())
    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(message)])
  })

  test("of another account's book are refused as not found", async () => {
    const stranger = await pictureReader(server)
    const { status, text } = await stranger.browser.get(`/search?like=${soap}:1`)
    expect([status, text.includes('soap')]).toEqual([404, false])
  })

  test('with an invalid URL are an empty search', async () => {
    expect((await similar('like=%3Cscript%3E')).text).toContain('Finds words in the titles')
  })

  test('are not offered on the page of an earlier version', async () => {
    const content = '# Kettles\n\nTallow and lye make soap; brine parts it again.\n'
    await callOverRest(server, person, 'put_item_page', { id: washing, pageNum: 1, content })
    const shown = async (version: number): Promise<string> =>
      (await person.browser.get(`/books/${washing}/pages/1?v=${version}`)).text
    expect(await shown(2)).toContain('Find pages like this one')
    expect(await shown(1)).not.toContain('Find pages like this one')
  })
})

describeWith(chromiumNeed)('in a browser without scripts', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser?.close())

  test.for([
    ['light', 1200],
    ['dark', 1200],
    ['light', 320],
    ['dark', 320],
  ] as const)('are found from the page of a book, %s, %d pixels wide', { timeout: 60_000 }, async ([scheme, width]) => {
    const context = await browser.newContext({
      javaScriptEnabled: false,
      colorScheme: scheme,
      viewport: { width, height: 800 },
    })
    onTestFinished(() => context.close())
    await context.addCookies([...person.browser.cookies].map(([name, value]) => ({ name, value, url: server.baseUrl })))
    const page = await context.newPage()
    await page.goto(`${server.baseUrl}/books/${soap}/pages/1`)
    await page.getByRole('link', { name: 'Find pages like this one' }).click()
    await page.getByRole('heading', { name: 'Pages like page 1 of On <i>soap</i>' }).waitFor()
    const box = await page.locator('.liked-page').boundingBox()
    expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(width)
    await page.getByRole('link', { name: /Page 1/ }).click()
    await page.getByRole('heading', { name: /Washing/ }).waitFor()
  })
})
