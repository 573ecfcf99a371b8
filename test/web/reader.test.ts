import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { subscribeMarketplace } from '../../src/marketplace/subscribe-marketplace.ts'
import { putItemPage } from '../../src/writing/put-item-page.ts'
import { splitBlocks } from '../../src/web/pages/book/render-page-text.ts'
import { chromiumNeed, describeWith, launchBrowser } from '../support/system-needs.ts'
import { rest } from '../support/transports.ts'
import { makeBook, markdownPages } from '../support/make-book.ts'
import { plansEnvironment } from '../support/plans-environment.ts'
import { readsUsed } from '../support/charge-reads.ts'
import { seedBooks } from '../support/seed-books.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { webClient, type WebClient } from '../support/web-client.ts'
import { password, signedInPerson, signIn } from '../support/signed-in-person.ts'
import { contextOf } from '../support/context.ts'

let server: TestServer

beforeAll(async () => {
  const plans = await plansEnvironment({ tier: 'TINY', itemLimit: 1 }, { tier: 'NO_READS', monthlyReadLimit: 0 })
  server = await startTestServer({ LECTERN_ROLE: 'web', ...plans })
})
afterAll(() => server.close())

const content = [
  '# Ships\n\nA ship & its <b>crew</b>.\nTwo lines.\n\n## Deep\n\n```js\n<script>alert(1)</script>\n```\n',
  '# Whales\n\n| a | b |\n| --- | --- |\n\n![x](http://evil.example/x.png) [y](javascript:alert(1))\n',
  '# Birds\n\nThe albatross.\n',
].join('')

async function reader(options?: Parameters<typeof signedInPerson>[1]) {
  const person = await signedInPerson(server, options)
  const book = await makeBook(server, person.account, { title: 'The <Sea>', description: 'About "it"', content })
  return { ...person, book }
}

async function edit(owner: { id: string }, id: string) {
  const ctx = await contextOf(server, owner)
  await putItemPage(ctx, { id, pageNum: 2, content: '# Whales\n\nNew words.\n' })
}

const links = (page: string) => [...page.matchAll(/<a (?:rel="\w+" )?href="(\/books[^"]*)"/g)].map(([, href]) => href)
const reads = (account: { id: string }) => readsUsed(server, account)

describe('the page for reading', () => {
  test('is typeset, with nothing active from the book and nothing remote', async () => {
    const { browser, book } = await reader()
    const { status, text } = await browser.get(`/books/${book}/pages/1`)
    expect(status).toBe(200)
    expect(text).toContain('<h2 dir="auto" class="level-1" id="p-ships">Ships</h2>')
    expect(text).toContain('<p dir="auto">A ship &amp; its <strong>crew</strong>.\nTwo lines.</p>')
    expect(text).not.toMatch(/<script(?! type="module" src="\/assets\/)/)
    const second = await browser.get(`/books/${book}/pages/2`)
    expect(second.text).toContain('<span class="picture">Image: x</span>')
    expect(second.text).not.toMatch(/<img|href="javascript:|src="http|evil\.example/)
  })

  test('names the language of the book where it shows its words', async () => {
    const { browser, book, account } = await reader()
    await server.running.opened.services.books.change(account.id, book, { set: { language: 'de' } })
    const { text } = await browser.get(`/books/${book}/pages/1`)
    const words = [...text.matchAll(/<(\w+)[^>]* lang="de"[^>]*>(?:\s*([^<\s][^<]*))?/g)].map(([, tag, title]) => [
      tag,
      title,
    ])
    expect(words).toEqual([
      ['a', 'The &lt;Sea&gt;'],
      ['p', 'Ships'],
      ['article', undefined],
      ...['Ships', 'Deep', 'Whales', 'Birds'].map((title) => ['span', title]),
    ])
  })

  test.for([
    ['Der Wärter wusste, dass der Winter für sie alle lang und kalt sein würde, und er ging nicht aus dem Haus.', 'de'],
    ['این کتاب دربارهٔ تاریخ ایران است و در آن از شاهان سخن می‌رود.', 'fa'],
    ['これは日本語の文章です。', 'ja'],
    ['int main(void) { char *x = malloc(10); return 0; }', ''],
  ] as const)('of a book whose language is not known, %s is marked as “%s”', async ([words, language]) => {
    const { browser, account } = await signedInPerson(server)
    const book = await makeBook(server, account, { content: words })
    for (const query of ['', '?as=stored']) {
      const { text } = await browser.get(`/books/${book}/pages/1${query}`)
      expect(/<article[^>]* lang="([^"]*)"/.exec(text)?.[1]).toBe(language)
    }
  })

  test('of a book whose file declares another language is marked with that of its text', async () => {
    const { browser, account } = await signedInPerson(server)
    const japanese = '# 一\n\nこれは日本語の文章です。\n\n# Two\n\nThe boats lie on the sand.'
    const book = await makeBook(server, account, { content: japanese })
    await server.running.opened.services.books.change(account.id, book, { set: { language: 'en-US' } })
    const languageOf = async (page: number) =>
      /<article[^>]* lang="([^"]*)"/.exec((await browser.get(`/books/${book}/pages/${page}`)).text)?.[1]
    expect(await Promise.all([languageOf(1), languageOf(2)])).toEqual(['ja', 'en-US'])
    const { text: found } = await browser.get(`/books/${book}/find?q=${encodeURIComponent('日本語')}`)
    expect(found).toMatch(/<p dir="auto" lang="ja">\s*これは/)
  })

  test('as stored, shows its text unchanged and none of it as markup', async () => {
    const { browser, book, account } = await reader()
    const { status, text, headers } = await browser.get(`/books/${book}/pages/1?as=stored`)
    expect(status).toBe(200)
    expect(text).toContain('<p dir="auto">A ship &amp; its &lt;b&gt;crew&lt;/b&gt;.\nTwo lines.</p>')
    expect(text).toContain('```js\n&lt;script&gt;alert(1)&lt;/script&gt;\n```</pre>')
    expect(text).not.toMatch(/<script(?! type="module" src="\/assets\/)/)
    const second = await browser.get(`/books/${book}/pages/2?as=stored`)
    expect(second.text).not.toMatch(/<img|href="javascript:|src="http/)
    expect(second.text).toContain('![x](http://evil.example/x.png) [y](javascript:alert(1))')
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'/,
    )
    expect(headers.get('cache-control')).toBe('no-store')
    expect(await reads(account)).toBe(2)
  })

  test('a page links to the previous and next page of the same version, and says how to cite it', async () => {
    const { browser, book } = await reader()
    const page = (num: number) => `/books/${book}/pages/${num}?v=1`
    const middle = await browser.get(page(2))
    expect(middle.text.match(/rel="(prev|next)" href="[^"]+"/g)).toEqual([
      `rel="prev" href="${page(1)}"`,
      `rel="next" href="${page(3)}"`,
      `rel="prev" href="${page(1)}"`,
      `rel="next" href="${page(3)}"`,
    ])
    expect(middle.text).toContain('Cite as <span>(<bdi>The &lt;Sea&gt;</bdi>, p.&nbsp;2)</span>')
    expect(middle.text).toContain(`<a href="${server.baseUrl}${page(2)}">`)
    expect((await browser.get(page(1))).text).not.toContain('rel="prev"')
    expect((await browser.get(page(3))).text).not.toContain('rel="next"')
  })

  test('a page shows the cited version with a notice of a newer one', async () => {
    const { browser, book, account } = await reader()
    await edit(account, book)
    const old = await browser.get(`/books/${book}/pages/2?v=1`)
    expect(old.text).toContain('Image: x')
    expect(old.text).toMatch(/You are reading version 1\. A newer version is available:/)
    expect(old.text).toContain('This page has changed since.')
    expect(old.text).toContain(`<a href="/books/${book}/pages/2">version 2</a>`)
    expect(old.text).toContain(`rel="next" href="/books/${book}/pages/3?v=1"`)
    const same = await browser.get(`/books/${book}/pages/1?v=1`)
    expect(same.text).toContain('This page has not changed.')
    for (const path of ['pages/2', 'pages/2?v=2']) {
      const now = await browser.get(`/books/${book}/${path}`)
      expect(now.text).toContain('New words.')
      expect(now.text).not.toContain('newer version')
    }
    expect((await browser.get(`/books/${book}?v=1`)).text).toContain('A newer version is available')
  })

  test('the title of a page tells an older version from the current one', async () => {
    const { browser, book, account } = await reader()
    await edit(account, book)
    const titleOf = async (path: string) =>
      /<title>(.*?)<\/title>/.exec((await browser.get(`/books/${book}${path}`)).text)?.[1]
    expect(await titleOf('/pages/2?v=1')).toBe('The &lt;Sea&gt;, p. 2, version 1 · Lectern')
    expect(await titleOf('?v=1')).toBe('The &lt;Sea&gt;, version 1 · Lectern')
    for (const path of ['/pages/2', '/pages/2?v=2']) expect(await titleOf(path)).toBe('The &lt;Sea&gt;, p. 2 · Lectern')
    for (const path of ['', '?v=2']) expect(await titleOf(path)).toBe('The &lt;Sea&gt; · Lectern')
  })

  test('a page of 500,000 characters is split into parts that add up to its text', async () => {
    const { browser, account } = await reader()
    const long = Array.from({ length: 9000 }, (_, at) => `line ${at} ${'x'.repeat(45)}`).join('\n')
    const id = await makeBook(server, account, { content: long })
    let path: string | undefined = `/books/${id}/pages/1?v=1`
    const lines: string[] = []
    let parts = 0
    while (path !== undefined) {
      const { text } = await browser.get(path)
      lines.push(...(text.match(/line \d+ x+/g) ?? []))
      path = /<a href="([^"]+)"\s*>Continue this page/.exec(text)?.[1]?.replaceAll('&amp;', '&')
      parts++
    }
    expect(parts).toBe(3)
    expect(lines.join('\n')).toBe(long)
  })

  test('a page without text says so', async () => {
    const { browser, account } = await reader()
    const id = await makeBook(server, account, { content: '\n' })
    const { contents } = server.running.opened.services
    expect((await contents.getManifest(id, 1))?.pageCount).toBe(1)
    expect((await browser.get(`/books/${id}/pages/1`)).text).toContain('This page has no text.')
    const empty = await makeBook(server, account)
    const answer = await browser.get(`/books/${empty}`)
    expect(answer.text).toContain('0 pages')
    expect(answer.text).not.toContain('Read from page 1')
  })
})

describe('who may see it', () => {
  test('a signed-out visitor signs in and returns to the cited version', async () => {
    const { book, email } = await reader()
    const visitor = webClient(server)
    const path = `/books/${book}/pages/2?v=1`
    const { status, location } = await visitor.get(path)
    expect([status, location]).toEqual([303, `/sign-in?next=${encodeURIComponent(path)}`])
    const signedIn = await signIn(visitor, email, password, location as string)
    expect(signedIn.location).toBe(path)
  })

  test.for<[what: string, path: (book: string) => string]>([
    ['the book of somebody else', (book) => `/books/${book}`],
    ['a page of it', (book) => `/books/${book}/pages/1?v=1`],
    ['an unknown book', () => '/books/nope/pages/1'],
  ])('%s is not found for any account', async ([, path]) => {
    const { book, account } = await reader()
    const { browser } = await signedInPerson(server)
    const answer = await browser.get(path(book))
    expect(answer.status).toBe(404)
    expect(answer.text.slice(answer.text.indexOf('<main'))).not.toContain('Sea')
    expect(answer.text).toContain('There is no such book in your library.')
    expect(await reads(account)).toBe(0)
  })

  test.for([
    'pages/4',
    'pages/0',
    'pages/x',
    'pages/1?v=2',
    'pages/1?v=0',
    'pages/1?v=x',
    '?v=2',
    'pages/1.5',
    'pages/-1',
    'go?page=4',
    'go?page=x',
  ])('%s is not found, leads back to the book and costs no read', async (path) => {
    const { browser, book, account } = await reader()
    const answer = await browser.get(`/books/${book}${path.startsWith('?') ? '' : '/'}${path}`)
    expect(answer.status).toBe(404)
    expect(answer.text).toContain(`<a href="/books/${book}" dir="auto" lang="">The &lt;Sea&gt;</a>`)
    expect(await reads(account)).toBe(0)
  })

  test('a book of one page says so when another one is opened', async () => {
    const { browser, account } = await reader()
    const short = await makeBook(server, account, { content: 'all of it' })
    for (const path of ['pages/2', 'pages/2/picture']) {
      expect((await browser.get(`/books/${short}/${path}`)).text).toContain('this book has 1 page.')
    }
    expect((await browser.get(`/books/${short}?v=2`)).text).toContain('This book has only version 1.')
  })

  test('a book whose import failed has no page, and nobody is told to wait for it', async () => {
    const { browser, account } = await signedInPerson(server)
    const failed = { version: 0, status: 'FAILED', health: 'failed', healthReason: 'Add it again.' } as const
    const [id] = await seedBooks(server, account, { count: 1, book: () => failed })
    const answer = await browser.get(`/books/${id}/pages/1`)
    expect(answer.status).toBe(404)
    expect(answer.text).toContain('This book has no text: its import failed. Add it again.')
    expect(answer.text).toContain(`<a href="/books/${id}"`)
  })

  test('a locked book is refused with a link to the usable books', async () => {
    const { browser, account } = await reader()
    const locked = await makeBook(server, account, { content })
    await server.running.opened.services.accounts.change(account.id, { tier: 'TINY' })
    const answer = await browser.get(`/books/${locked}/pages/1`)
    expect(answer.status).toBe(403)
    expect(answer.text).toContain('/library/usable')
    expect(answer.text).not.toContain('A ship')
  })

  test('a page is refused if no reads are left', async () => {
    const { browser, book } = await reader({ plan: 'NO_READS' })
    const answer = await browser.get(`/books/${book}/pages/1`)
    expect(answer.status).toBe(429)
    expect(answer.text).toContain('<h1>No reads left</h1>')
    expect(answer.text).not.toContain('A ship')
  })

  test('a preview shows only its pages of the current version', async () => {
    const seller = await server.createPerson({ plan: 'PRO' })
    const id = await makeBook(server, seller, { title: 'Pro', content: markdownPages(4) })
    await edit(seller, id)
    const { body } = await rest.call(server, seller, 'publish_listing', { itemId: id, proOnly: true })
    const { browser, account } = await signedInPerson(server, { plan: 'FREE' })
    const ctx = await contextOf(server, account)
    await subscribeMarketplace(ctx, { listingId: body.listing.id })
    const second = await browser.get(`/books/${id}/pages/2`)
    expect(second.text).toContain('New words.')
    expect(second.text).toContain('the first 2 pages')
    expect(second.text).not.toContain('rel="next"')
    for (const path of ['pages/3', 'pages/3?v=2', 'pages/1?v=1', '?v=1']) {
      const answer = await browser.get(`/books/${id}${path.startsWith('?') ? '' : '/'}${path}`)
      expect([path, answer.status]).toEqual([path, 403])
      expect(answer.text).not.toContain('text 3')
      expect(answer.text).toContain('The rest needs a Pro plan.</p>')
      expect(answer.text).toContain(`<a href="/books/${id}"`)
    }
    const details = await browser.get(`/books/${id}/details`)
    expect([details.status, details.text.includes('Not in the preview')]).toEqual([403, false])
    expect(details.text.slice(details.text.indexOf('<main'))).not.toContain('/plans')
    const outline = await browser.get(`/books/${id}`)
    expect(outline.text).toContain('class="contents-line closed"')
    expect(links(outline.text)).not.toContain(`/books/${id}/pages/3?v=2`)
  })
})

test('the text of a page is cut into paragraphs, headings, tables and code, and nothing is lost', () => {
  const text = '# A\nb\nc\n\n~~~\nd\n\n# e\n~~~\nf\n| g |\n| h |\ni\n\n\n## j\n```\nnever closed\n'
  expect(splitBlocks(text)).toEqual([
    { kind: 'heading', text: '# A' },
    { kind: 'text', text: 'b\nc' },
    { kind: 'preformatted', text: '~~~\nd\n\n# e\n~~~' },
    { kind: 'text', text: 'f' },
    { kind: 'preformatted', text: '| g |\n| h |' },
    { kind: 'text', text: 'i' },
    { kind: 'heading', text: '## j' },
    { kind: 'preformatted', text: '```\nnever closed\n' },
  ])
})

describeWith(chromiumNeed)('in a browser', () => {
  let chrome: Browser

  beforeAll(async () => {
    chrome = await launchBrowser()
  })
  afterAll(() => chrome?.close())

  /** Opens a browser page of a signed-in account with a book. Records problems. */
  async function openReader(options: Parameters<Browser['newPage']>[0] = {}) {
    const { browser, book, account } = await reader({ name: 'Ada' })
    await edit(account, book)
    const page = await chrome.newPage(options)
    await page.context().addCookies(cookiesOf(browser))
    const problems: string[] = []
    page.on('console', (message) => problems.push(message.text()))
    page.on('request', (request) => {
      if (!request.url().startsWith(server.baseUrl)) problems.push(`remote: ${request.url()}`)
    })
    return { page, book, problems }
  }

  function cookiesOf({ cookies }: WebClient) {
    return [...cookies].map(([name, value]) => ({ name, value, url: server.baseUrl }))
  }

  const axe = createRequire(import.meta.url).resolve('axe-core')

  async function violations(page: Page): Promise<string[]> {
    // The content security policy allows no script; the test injects this one.
    await page.evaluate(await readFile(axe, 'utf8'))
    const found: { id: string }[] = await page.evaluate('axe.run().then(({ violations }) => violations)')
    return found.map(({ id }) => id)
  }

  test.for([
    [320, 'light'],
    [320, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const)(
    'at %d px, %s: nothing cut off, nothing remote, no accessibility violations',
    async ([width, colorScheme]) => {
      const { page, book, problems } = await openReader({ viewport: { width, height: 800 }, colorScheme })
      for (const path of ['', '/pages/1', '/pages/2?v=1', '/pages/2', '/pages/2?as=stored&v=1', '/find?q=whales']) {
        const answer = await page.goto(`${server.baseUrl}/books/${book}${path}`)
        expect(answer?.status(), path).toBe(200)
        expect(await page.locator('h1').count(), path).toBe(1)
        expect(await page.locator('main script, main style, main img, [style]').count(), path).toBe(0)
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), path).toBeLessThanOrEqual(0)
        expect(await violations(page), path).toEqual([])
      }
      expect(problems).toEqual([])
      await page.close()
    },
  )

  test('the table of contents and the next page are reachable by keyboard', async () => {
    const { page, book } = await openReader()
    await page.goto(`${server.baseUrl}/books/${book}`)
    const tabTo = async (text: string) => {
      for (let i = 0; i < 40; i++) {
        await page.keyboard.press('Tab')
        if (String(await page.evaluate('document.activeElement?.textContent')).includes(text)) return
      }
      throw new Error(`The focus never came to ${text}`)
    }
    await tabTo('Whales')
    await page.keyboard.press('Enter')
    await page.waitForURL(/pages\/2\?v=2#p-whales$/)
    await tabTo('Page 3 →')
    await page.keyboard.press('Enter')
    await page.waitForURL(/pages\/3\?v=2$/)
    await page.getByText('The albatross.').waitFor()
    await page.close()
  })
})
