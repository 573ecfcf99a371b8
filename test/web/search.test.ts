import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { chromiumNeed, describeWith, launchBrowser } from '../support/system-needs.ts'
import { makeBook } from '../support/make-book.ts'
import { pictureReader, type PictureReader } from '../support/picture-client.ts'
import { mcp, rest } from '../support/transports.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let person: PictureReader
let whales: string
let ships: string
let builtIn: string

beforeAll(async () => {
  person = await pictureReader(server)
  whales = await makeBook(server, person, {
    title: 'On whales & <b>ships</b>',
    content: '# The harpoon\n\nThe harpoon flies; harpoons are heavy.\n# Nothing\n\nA calm sea.\n',
  })
  const pages = Array.from({ length: 6 }, (_, at) => `# Chapter ${at + 1}\n\nWhales again, number ${at + 1}.\n`)
  ships = await makeBook(server, person, { title: 'A log', content: pages.join('') })
  builtIn = await makeBook(server, { id: 'system' }, { title: 'Lamps', content: '# Oil\n\nLamps of whale oil.' })
  for (const name of ['Sea', 'Land']) await rest.call(server, person, 'create_shelf', { name })
  await rest.call(server, person, 'add_to_shelf', { shelf: 'sea', itemIds: [ships] })
})

const search = (query: string) => person.browser.get(`/search?${query}`)

/** Returns the titles that were found, in order. */
function titlesOf(text: string): string[] {
  return [...text.matchAll(/<h2 class="found-title">\s*<a[^>]*>([\s\S]*?)<\/a/g)].map(([, title = '']) =>
    title.replaceAll(/<\/?mark>/g, '').trim(),
  )
}

describe('without JavaScript', () => {
  test('a user finds books by the words on their pages, with passages and highlights', async () => {
    const { status, text } = await search('q=harpoon')
    expect([status, titlesOf(text)]).toEqual([200, ['On whales &amp; &lt;b&gt;ships&lt;/b&gt;']])
    expect(text).toContain('1 book found')
    expect(text).toContain('The <mark>harpoon</mark> flies; <mark>harpoons</mark> are heavy.')
    expect(text).toContain(`href="/books/${whales}/pages/1?v=1&amp;mark=harpoon#p-mark"`)
  })

  test('a typing error is corrected, and the correct word is a link', async () => {
    const { text } = await search('q=harpon')
    expect(text).toMatch(/Did you mean\s*<a href="\/search\?q=harpoon" dir="auto">harpoon<\/a>\?/)
    expect(text).toContain('The <mark>harpoon</mark> flies; <mark>harpoons</mark> are heavy.')
    expect(text).toContain(`href="/books/${whales}/pages/1?v=1&amp;mark=harpoon#p-mark"`)
    const inBook = await person.browser.get(`/books/${whales}/find?q=harpon`)
    expect(inBook.text).toContain(`<a href="/books/${whales}/find?q=harpoon" dir="auto">harpoon</a>?`)
    expect((await search('q=harpoon')).text).not.toContain('Did you mean')
  })

  test('text from books and queries is text, never HTML', async () => {
    const { text } = await search(`q=${encodeURIComponent('whales "><script>')}`)
    expect(text).not.toContain('<script>')
    expect(text).not.toContain('<b>')
    expect(text).toContain('<mark>whales</mark> &amp; &lt;b&gt;ships&lt;/b&gt;')
  })

  test('books with all words in their titles come first', async () => {
    const { text } = await search('q=whales')
    expect(titlesOf(text)).toEqual(['On whales &amp; &lt;b&gt;ships&lt;/b&gt;', 'A log', 'Lamps'])
    expect(text).toContain('3 books found')
    expect(text).toMatch(new RegExp(`/books/${ships}/find\\?q=whales"[^>]*>\\s*All 6 pages`))
  })

  test('typed filters restrict the books or list them, and the page explains the syntax', async () => {
    const written = (query: string) => search(`q=${encodeURIComponent(query)}`)
    expect(titlesOf((await written('whales title:log')).text)).toEqual(['A log'])
    expect(titlesOf((await written('whales -shelf:sea -in:' + builtIn)).text)).toEqual([
      'On whales &amp; &lt;b&gt;ships&lt;/b&gt;',
    ])
    const listed = await written('title:log')
    expect(titlesOf(listed.text)).toEqual(['A log'])
    expect(listed.text).toContain('1 book found')
    const unknown = await written('whales shelf:space')
    expect(unknown.text).toContain('No shelf is called &quot;space&quot;. The shelves are sea, land.')
    expect(unknown.text).toMatch(/<details class="search-help">\s*<summary>More ways to search/)
  })

  test.for([
    ['books=own', ['On whales &amp; &lt;b&gt;ships&lt;/b&gt;', 'A log']],
    ['books=others', ['Lamps']],
    ['shelf=sea', ['A log']],
    ['books=others&shelf=sea', []],
    ['shelf=land', []],
    ['books=nonsense', ['On whales &amp; &lt;b&gt;ships&lt;/b&gt;', 'A log', 'Lamps']],
  ] as const)('the filter %s keeps %j', async ([filter, titles]) => {
    expect(titlesOf((await search(`q=whales&${filter}`)).text)).toEqual(titles)
  })

  test('a filter keeps the words, and another search keeps the filter', async () => {
    const { text } = await search('q=whales&shelf=sea')
    expect(text).toContain('href="/search?q=whales&amp;books=own&amp;shelf=sea"')
    expect(text).toContain('<input type="hidden" name="shelf" value="sea" />')
    expect(text).toMatch(/href="\/search\?q=whales"[^>]*aria-current="true"/)
  })

  test('further results are on a separate page, with a link back', async () => {
    const reader = await pictureReader(server)
    for (let at = 1; at <= 12; at++)
      await makeBook(server, reader, { title: `Comet ${at}`, content: '# One\n\nA comet.' })
    const first = (await reader.browser.get('/search?q=comet')).text
    expect([titlesOf(first).length, first.includes('12 books found')]).toEqual([10, true])
    const next = /rel="next" href="([^"]+)"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const second = (await reader.browser.get(next)).text
    expect(titlesOf(second)).toHaveLength(2)
    expect(new Set([...titlesOf(first), ...titlesOf(second)]).size).toBe(12)
    expect(second).toMatch(/href="\/search\?q=comet"[^>]*>[^<]*<svg[\s\S]*?First results/)
    const ofOther = await reader.browser.get(next.replace('q=comet', 'q=comet&books=own'))
    expect([ofOther.status, ofOther.location]).toEqual([303, '/search?q=comet&books=own'])
  })

  test('an empty result gives the next step', async () => {
    const { status, text } = await search('q=zzyzx')
    expect(status).toBe(200)
    expect(text).toContain('No book matches.')
    expect(text).toContain('href="/discover?q=zzyzx"')
    expect((await search('q=zzyzx&shelf=sea')).text).toMatch(/href="\/search\?q=zzyzx"\s*>Search all books<\/a/)
  })

  test('an empty result of filters alone does not speak of words in books', async () => {
    const { text } = await search('q=before:1990')
    expect(text).toContain('meets before:1990')
    expect(text).toContain('Nothing found')
    expect(text).not.toContain('contains these words')
  })

  test('a deleted shelf redirects to the same search without it', async () => {
    const { status, location } = await search('q=whales&shelf=gone')
    expect([status, location]).toEqual([303, '/search?q=whales'])
  })

  test('too many words are refused on the page, which keeps them', async () => {
    const words = 'x'.repeat(501)
    const { status, text } = await search(`q=${words}`)
    expect([status, text.includes('at most 500 characters'), text.includes(`value="${words}"`)]).toEqual([
      400,
      true,
      true,
    ])
  })

  test('too many concurrent searches are asked to wait, with the time', async () => {
    const { slots } = server.running.opened.services.search
    const held = await Promise.all([slots.take(person.id), slots.take(person.id)])
    const waiting = Array.from({ length: 8 }, () =>
      slots.take(person.id, AbortSignal.timeout(20_000)).catch(() => null),
    )
    try {
      const { status, text, headers } = await search('q=whales')
      expect([status, headers.get('retry-after')]).toEqual([429, '2'])
      expect(text).toContain('Several of your searches are still running.')
      expect(text).toContain('value="whales"')
      expect((await person.browser.get('/search/results?q=whales')).headers.get('retry-after')).toBe('2')
      const inBook = await person.browser.get(`/books/${whales}/find?q=whales`)
      expect([inBook.status, inBook.headers.get('retry-after')]).toEqual([429, '2'])
      for (const page of [text, inBook.text]) expect(page).toContain('<title>Error: whales')
    } finally {
      for (const release of held) release?.()
      for (const each of waiting) (await each)?.()
    }
  })

  test('a signed-out user is asked to sign in, and finds no books of others', async () => {
    const visitor = await fetch(`${server.baseUrl}/search?q=whales`, { redirect: 'manual' })
    expect(visitor.headers.get('location')).toContain('/sign-in?next=')
    const stranger = await pictureReader(server)
    expect(titlesOf((await stranger.browser.get('/search?q=whales')).text)).toEqual(['Lamps'])
    expect(builtIn).not.toBe('')
  })

  test('no read is charged, and the results alone are the same as on the page', async () => {
    const reads = async () => (await mcp.call(server, person, 'library_summary', {})).body.monthlyReadsUsed
    const before = await reads()
    const part = (await person.browser.get('/search/results?q=whales')).text
    expect((await search('q=whales')).text).toContain(part.trim())
    expect(await reads()).toBe(before)
  })
})

describeWith(chromiumNeed)('with JavaScript', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser?.close())

  async function open(path: string): Promise<Page> {
    const context = await browser.newContext()
    onTestFinished(() => context.close())
    await context.addCookies([...person.browser.cookies].map(([name, value]) => ({ name, value, url: server.baseUrl })))
    const page = await context.newPage()
    await page.goto(server.baseUrl + path)
    return page
  }

  test('results appear during typing, and their number is announced', { timeout: 60_000 }, async () => {
    const page = await open('/search')
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).search))
    await page.getByRole('searchbox').pressSequentially('harpoon', { delay: 20 })
    await page.getByRole('link', { name: /Page 1/ }).waitFor()
    expect(await page.getByRole('status').textContent()).toBe('1 book found')
    // There is no request for each letter.
    expect(asked.filter((query) => query.includes('q=harpoon'))).toHaveLength(1)
    expect(asked.length).toBeLessThan(5)
    await expect.poll(() => page.url()).toBe(`${server.baseUrl}/search?q=harpoon`)
    expect(await page.title()).toBe('harpoon · Search · Lectern')
  })

  test('a later search replaces an earlier, slower one', { timeout: 60_000 }, async () => {
    const page = await open('/search')
    await page.route('**/search/results?q=whales', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 2000))
      await route.continue().catch(() => undefined)
    })
    await page.getByRole('searchbox').fill('whales')
    await page.waitForRequest('**/search/results?q=whales')
    await page.getByRole('searchbox').fill('harpoon')
    await page.getByRole('link', { name: /Page 1/ }).waitFor()
    await page.waitForTimeout(2500)
    expect(await page.locator('.found-book').count()).toBe(1)
  })

  test('a search without a connection says so above the former results, until the next one', async () => {
    const page = await open('/search?q=whales')
    await page.context().setOffline(true)
    await page.getByRole('searchbox').fill('harpoon')
    const problem = page.getByText('The search could not be sent')
    await problem.waitFor()
    expect(await problem.evaluate((element) => element.className)).toBe('problem')
    await page.context().setOffline(false)
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByRole('status').textContent()).toBe('1 book found')
    expect(await page.locator('.problem').count()).toBe(0)
  })

  test('arrow keys move through the results, and Escape returns to the words', { timeout: 60_000 }, async () => {
    const page = await open('/search?q=whales')
    const focused = () =>
      page.evaluate<string>('document.activeElement.getAttribute("href") ?? document.activeElement.id')
    await page.getByRole('searchbox').focus()
    await page.keyboard.press('ArrowDown')
    expect(await focused()).toBe(`/books/${whales}`)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    expect(await focused()).toContain(`/books/`)
    await page.keyboard.press('Escape')
    expect(await focused()).toBe('q')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    expect(await focused()).toBe('q')
  })

  test('rate-limited searches are retried after the given time', { timeout: 60_000 }, async () => {
    const page = await open('/search')
    let count = 0
    await page.route('**/search/results?*', (route) => {
      count++
      if (count > 1) return route.continue()
      return route.fulfill({
        status: 429,
        headers: { 'Retry-After': '1', 'Content-Type': 'text/html' },
        body: '<p>Busy</p>',
      })
    })
    await page.getByRole('searchbox').fill('harpoon')
    await page.getByRole('link', { name: /Page 1/ }).waitFor()
    expect(count).toBe(2)
  })
})
