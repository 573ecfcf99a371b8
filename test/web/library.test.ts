import { createRequire } from 'node:module'
import { readFile } from 'node:fs/promises'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Book } from '../../src/books/book.ts'
import { createManuscript } from '../../src/manuscripts/create-manuscript.ts'
import { contextOf } from '../support/context.ts'
import { publishBook, subscribe } from '../support/marketplace.ts'
import { seedBooks } from '../support/seed-books.ts'
import type { Person } from '../support/server.ts'
import { makeShelf } from '../support/shelves.ts'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'
import { chromiumNeed, describeWith, launchBrowser } from '../support/system-needs.ts'
import { createTeamClient } from '../support/team-client.ts'
import { rest } from '../support/transports.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { webClient } from '../support/web-client.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let other: Person

beforeAll(async () => {
  other = await server.createPerson()
})

/** Creates a signed-in person with these books, the oldest first. */
async function personWith(books: readonly Partial<Book>[]): Promise<WebPerson & { ids: string[] }> {
  const person = await signedInPerson(server)
  const book = (at: number) => books[at] ?? {}
  const ids = books.length > 0 ? await seedBooks(server, person.account, { count: books.length, book }) : []
  return { ...person, ids }
}

const numbered = (count: number, book: Partial<Book> = {}) =>
  Array.from({ length: count }, (_, at) => ({ ...book, title: `Title ${String(at).padStart(3, '0')}` }))

/** Returns the titles of the cards on a page, in order. */
function titlesOn(page: string): string[] {
  return [...page.matchAll(/class="book-name"><a[^>]*>([^<]*)<\/a>/g)].map(([, title]) => title ?? '')
}

const nextOf = (page: string) => /rel="next"[^>]*?href="([^"]+)"|href="([^"]+)"[^>]*?rel="next"/.exec(page)
const nextUrl = (page: string) => (nextOf(page)?.[1] ?? nextOf(page)?.[2])?.replaceAll('&amp;', '&')

describe('the library without JavaScript', () => {
  test('is the home page of signed-in users only', async () => {
    const { browser } = await personWith([{ title: 'Walden' }])
    expect((await browser.get('/')).text).toMatch(/<h1>Library<\/h1>/)
    expect(titlesOn((await browser.get('/')).text)).toEqual(['Walden'])
    const visitor = await webClient(server).get('/')
    expect(visitor.text).toMatch(/<h1>Lectern<\/h1>/)
    expect((await webClient(server).get('/library')).location).toBe('/sign-in?next=%2Flibrary')
  })

  test('says what to do while it is empty', async () => {
    const { browser } = await personWith([])
    const { text } = await browser.get('/library')
    expect(text).toContain('href="/add"')
    expect(text).toContain('href="/connect"')
    expect(text).not.toContain('name="ids"')
  })

  test('shows sixty books per page and links to the others', async () => {
    const { browser } = await personWith(numbered(130))
    const seen: string[] = []
    for (let path: string | undefined = '/library?sort=title'; path;) {
      const { text } = await browser.get(path)
      expect(titlesOn(text).length).toBeLessThanOrEqual(60)
      seen.push(...titlesOn(text))
      path = nextUrl(text)
    }
    expect(seen).toEqual(numbered(130).map(({ title }) => title))
  })

  test('keeps the order and layout that were chosen last', async () => {
    const { browser } = await personWith([{ title: 'Alpha' }, { title: 'Beta' }])
    expect(titlesOn((await browser.get('/library')).text)).toEqual(['Beta', 'Alpha'])
    await browser.get('/library?sort=title')
    await browser.get('/library?view=list')
    const { text } = await browser.get('/')
    expect(titlesOn(text)).toEqual(['Alpha', 'Beta'])
    expect(text).toContain('class="book-list"')
    expect((await browser.get('/library?view=grid')).text).toContain('class="book-grid"')
  })

  test('redirects from an old link to the first page', async () => {
    const { browser } = await personWith([{ title: 'Alpha' }])
    expect((await browser.get('/library?after=nonsense')).location).toBe('/library')
    const gone = await browser.get('/library?shelf=gone')
    expect(gone.location).toBe('/library?done=no-shelf')
    expect((await browser.get(gone.location ?? '')).text).toContain('This shelf was deleted or renamed.')
    expect((await browser.get('/library?sort=nonsense&show=nonsense&view=nonsense')).status).toBe(200)
  })

  test('shows each book with the facts that people choose by', async () => {
    const person = await personWith([
      { title: 'Half read', author: 'Ada', pageCount: 80, sourceType: 'pdf' },
      { title: 'Unread', pageCount: 1, health: 'partial' },
    ])
    const { id } = person.account
    const [half = ''] = person.ids
    const { readingPositions } = server.running.opened.services
    readingPositions.save(id, half, { page: 20, of: 80, version: 1, at: new Date() })
    const ctx = await contextOf(server, person.account)
    await createManuscript({ ...ctx, transport: 'mcp', clientName: 'claude-ai' }, { title: 'Notes' })
    const desk = createTeamClient(server)
    const team = await desk.createTeam(other, 'Circle')
    await desk.addMember(team, person.account)
    const published = await publishBook(server, other, { title: 'Knots' })
    await subscribe(server, { ...other, key: await keyOf(person) }, published.listingId)
    const { text } = await person.browser.get('/library')
    const card = (title: string) => text.slice(text.indexOf(`>${title}</a>`)).split('</li>')[0] ?? ''
    expect(card('Half read')).toMatch(/Ada[\s\S]*max="80"\s+value="20"[\s\S]*p\. 20 of 80 · PDF/)
    expect(card('Unread')).toMatch(/1 page · Markdown[\s\S]*Text incomplete/)
    expect(card('Notes')).toContain('maintained by Claude')
    expect(card('Knots')).toMatch(/from reader\d+/)
    expect(text).toContain('Continue reading')
    expect(text).toContain(`href="/books/${half}/pages/20"`)
  })

  async function keyOf(person: WebPerson): Promise<string> {
    const { createApiKey } = await import('../../src/accounts/create-api-key.ts')
    return (await createApiKey(server.running.opened.services, person.account.id, {})).key
  }

  test('filters by what its chips count', async () => {
    const person = await personWith([
      { title: 'Fine' },
      { title: 'Broken', status: 'FAILED', health: 'failed', healthReason: 'It is broken.' },
      { title: 'On shelf' },
    ])
    const shelf = await makeShelf(server, person.account, 'Course <1>')
    const { placements } = server.running.opened.services
    await placements.add(person.account.id, [{ shelfId: shelf.id, itemId: person.ids[2] as string }])
    const { text } = await person.browser.get('/library')
    const chip = (label: string) =>
      new RegExp(`href="([^"]+)"[^>]*>[^/]*?<span dir="auto">${label}</span\\s*><span class="number">([^<]+)`)
    expect(text).toContain('Course &lt;1&gt;')
    expect(titlesOn((await person.browser.get(`/library?shelf=${shelf.slug}`)).text)).toEqual(['On shelf'])
    expect(titlesOn((await person.browser.get('/library?show=attention')).text)).toEqual(['Broken'])
    expect(text.replaceAll(/<svg[\s\S]*?<\/svg>/g, '')).toMatch(chip('All'))
    expect([...text.matchAll(/class="number">([^<]+)</g)].map(([, count]) => count)).toEqual(['3', '1', '1'])
    expect(titlesOn((await person.browser.get('/library?title=sHelf')).text)).toEqual(['On shelf'])
    expect((await person.browser.get('/library?title=nowhere')).text).toContain('No title here contains the words')
  })

  test('shows hostile titles and names as text', async () => {
    const hostile = ['<script>alert(1)</script>', '\u202Eevil\u202C', 'x'.repeat(300), '"><img src=x onerror=alert(1)>']
    const { browser } = await personWith(hostile.map((title) => ({ title, author: title })))
    for (const path of ['/library', '/library?view=list', '/library?sort=author', '/library?title=%3Cscript%3E']) {
      const { status, text } = await browser.get(path)
      expect(status).toBe(200)
      expect(text).not.toMatch(/<script>alert|<img src=x/)
    }
  })
})

describe('the selected books', () => {
  test('can be put on a shelf and taken off it', async () => {
    const { browser, ids, account } = await personWith(numbered(3))
    const shelf = await makeShelf(server, account, 'Course')
    const put = await browser.submit('/library', '/library/selection', {
      ids: ids.slice(0, 2),
      act: 'shelve',
      shelf: shelf.id,
    })
    expect(put.location).toMatch(/^\/library\?done=shelved&n=2&missed=0$/)
    expect((await browser.get(put.location ?? '')).text).toContain('2 books put on the shelf.')
    const path = `/library?shelf=${shelf.slug}`
    expect(titlesOn((await browser.get(path)).text)).toHaveLength(2)
    const off = await browser.submit(path, '/library/selection', { ids: ids[0] as string, act: 'unshelve' })
    expect(off.location).toContain(`shelf=${shelf.slug}`)
    expect(titlesOn((await browser.get(path)).text)).toEqual(['Title 001'])
  })

  test('are named in the title of the page, by shelf, filter and title', async () => {
    const { browser, account } = await personWith(numbered(1))
    const shelf = await makeShelf(server, account, 'Tea & Co')
    const titleOf = async (query: string) =>
      /<title>(.*?)<\/title>/.exec((await browser.get(`/library${query}`)).text)?.[1]
    expect(await titleOf('')).toBe('Library · Lectern')
    expect(await titleOf(`?shelf=${shelf.slug}`)).toBe('Tea &amp; Co · Library · Lectern')
    expect(await titleOf('?show=attention')).toBe('Needs attention · Library · Lectern')
    expect(await titleOf(`?shelf=${shelf.slug}&title=oolong`)).toBe('oolong · Tea &amp; Co · Library · Lectern')
  })

  test('can be put on a new shelf, whose name is asked for while they stay selected', async () => {
    const { browser, ids } = await personWith(numbered(3))
    const [first = '', second = ''] = ids
    const answer = { ids: [first, second], act: 'shelve', shelf: ':new' }
    expect((await browser.get('/library')).text).toContain('<option value=":new">New shelf…</option>')
    const asked = await browser.submit('/library?sort=title', '/library/selection', answer)
    expect([asked.status, asked.text.includes('The 2 selected books are put on it.')]).toEqual([200, true])
    const fields = {
      csrf: /name="csrf" value="([^"]+)"/.exec(asked.text)?.[1] ?? '',
      back: '/library',
      ids: [first, second],
      act: 'new-shelf',
    }
    for (const id of [first, second]) expect(asked.text).toContain(`name="ids" value="${id}"`)
    const refused = await browser.post('/library/selection', { ...fields, name: '…' })
    expect([
      refused.status,
      refused.text.includes('<h1>New shelf</h1>'),
      refused.text.includes(`value="${second}"`),
    ]).toEqual([400, true, true])
    for (const attempt of ['once', 'a second time']) {
      const made = await browser.post('/library/selection', { ...fields, name: 'Course' })
      expect([attempt, made.location]).toEqual([attempt, '/library?done=shelved&n=2&missed=0'])
    }
    expect(titlesOn((await browser.get('/library?shelf=course')).text)).toHaveLength(2)
    expect((await browser.get('/shelves')).text.match(/data-shelf=/g)).toHaveLength(1)
    const none = await browser.post('/library/selection', { csrf: fields.csrf, act: 'new-shelf', name: 'Empty' })
    expect([none.status, none.text.includes('Select at least one book')]).toEqual([400, true])
  })

  test('are shared with a team, except those of others', async () => {
    const person = await personWith(numbered(1))
    const desk = createTeamClient(server)
    const team = await desk.createTeam(other, 'Readers')
    await desk.addMember(team, person.account, 'ADMIN')
    const [foreign = ''] = await seedBooks(server, other, { count: 1 })
    const answer = await person.browser.submit('/library', '/library/selection', {
      ids: [person.ids[0] as string, foreign],
      act: 'share',
      team,
    })
    expect(answer.location).toContain('done=shared&n=1&missed=1')
    const shares = await server.running.opened.services.shares.list(team)
    expect(shares.map(({ itemId, accessLevel }) => [itemId, accessLevel])).toEqual([[person.ids[0], 'READ']])
    expect((await person.browser.get('/library')).text).toContain('class="badge ">Shared<')
  })

  test('are deleted and restored', async () => {
    const { browser, ids } = await personWith(numbered(2))
    const deleted = await browser.submit('/library', '/library/selection', { ids: ids[0] as string, act: 'none' })
    expect(deleted.status).toBe(400)
    const { text } = await browser.get('/library')
    const csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? ''
    const gone = await browser.post('/library/delete', { csrf, ids: ids[0] as string })
    const after = await browser.get(gone.location ?? '')
    expect(titlesOn(after.text)).toEqual(['Title 001'])
    expect(after.text).toContain('Undo')
    await browser.submit(gone.location ?? '', '/library/deleted', {})
    expect(titlesOn((await browser.get('/library')).text)).toHaveLength(2)
  })

  test('are not deleted if they belong to others, with the reason', async () => {
    const person = await personWith(numbered(1))
    const publisher = await server.createPerson({ plan: 'PRO' })
    const { itemId, listingId } = await publishBook(server, publisher, {
      title: 'Added',
    })
    await person.browser.submit('/discover', '/discover/add', { listing: listingId })
    const { text } = await person.browser.get('/library')
    const csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? ''
    const kept = await person.browser.post('/library/delete', { csrf, ids: [itemId, 'unknown'] })
    expect(kept.location).toBe('/library?foreign=1')
    const both = await person.browser.post('/library/delete', { csrf, ids: [itemId, person.ids[0] as string] })
    expect(both.location).toBe(`/library?deleted=${person.ids[0]}&foreign=1`)
    const after = await person.browser.get(both.location ?? '')
    expect(after.text).toMatch(/Undo[^]*1 book was\s+not deleted/)
    expect(titlesOn(after.text)).toEqual(['Added'])
    // The marketplace no longer shows the book then.
    await rest.call(server, publisher, 'withdraw_listing', { listingId })
    const removed = await person.browser.submit(`/books/${itemId}`, '/discover/remove', {})
    expect(removed.location).toBe('/discover?done=remove')
    expect(titlesOn((await person.browser.get('/library')).text)).toEqual([])
  })

  test.for([
    ['no book', { act: 'shelve', shelf: 'x' }, 400, 'Select at least one book'],
    ['too many', { act: 'shelve', ids: Array.from({ length: 201 }, (_, at) => `b${at}`) }, 400, '200 or fewer'],
    ['a deleted shelf', { act: 'shelve', ids: 'b', shelf: 'gone' }, 404, 'Shelf not found'],
    ['a team that the person is not in', { act: 'share', ids: 'b', team: 'gone' }, 403, 'member of this team'],
    ['an unknown action', { act: 'burn', ids: 'b' }, 400, 'Choose what to do'],
  ] as const)('stay unchanged for %s, with the reason', async ([, fields, status, words]) => {
    const { browser } = await personWith(numbered(1))
    const answer = await browser.submit('/library?sort=title', '/library/selection', fields)
    expect(answer.status).toBe(status)
    expect(answer.text).toContain(words)
    expect(answer.text).not.toContain('/api/')
    expect(titlesOn(answer.text)).toEqual(['Title 000'])
  })

  test('stay selected after a failure, and require the token of the page', async () => {
    const { browser, ids } = await personWith(numbered(2))
    const answer = await browser.submit('/library', '/library/selection', {
      ids: ids[1] as string,
      act: 'shelve',
      shelf: '',
    })
    expect(answer.text).toMatch(new RegExp(`value="${ids[1]}"\\s+checked`))
    expect((await browser.post('/library/selection', { ids, act: 'shelve' })).status).toBe(403)
    const away = await browser.submit('/library', '/library/selection', {
      act: 'share',
      back: 'https://evil.example/library',
    })
    expect(away.text).not.toContain('evil.example')
  })
})

describeWith(chromiumNeed)('the library in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser?.close())

  async function open(person: WebPerson, path = '/library', options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1100, height: 900 }, ...options })
    onTestFinished(() => context.close())
    const value = person.browser.cookies.get('lectern') ?? ''
    await context.addCookies([{ name: 'lectern', value, url: server.baseUrl }])
    const page = await context.newPage()
    page.on('pageerror', (error) => {
      throw error
    })
    await page.goto(server.baseUrl + path)
    return page
  }

  test('selects ranges and whole pages, and shows the number', { timeout: 60_000 }, async () => {
    const person = await personWith(numbered(8))
    const shelf = await makeShelf(server, person.account, 'Course')
    const page = await open(person)
    const bar = page.getByRole('group', { name: 'With the selected books' })
    const box = (title: string) => page.getByRole('checkbox', { name: `Select ${title}` })
    expect(await bar.isVisible()).toBe(false)
    await box('Title 006').check({ force: true })
    await box('Title 003').click({ modifiers: ['Shift'], force: true })
    await bar.getByText('4 books selected').waitFor()
    await bar.getByRole('button', { name: 'Select all on this page' }).click()
    await bar.getByText('8 books selected').waitFor()
    await bar.getByRole('button', { name: 'Clear' }).click()
    expect(await bar.isVisible()).toBe(false)
    await box('Title 002').focus()
    await page.keyboard.press('Space')
    await bar.getByText('1 book selected').waitFor()
    await bar.getByRole('button', { name: 'Put on shelf' }).click()
    await page.getByText('1 book put on the shelf.').waitFor()
    const placed = await server.running.opened.services.placements.list(person.account.id, { shelfId: shelf.id })
    expect(placed.map(({ itemId }) => itemId)).toEqual([person.ids[2]])
    await page.evaluate('document.activeViewTransition?.finished')
    await box('Title 005').check({ force: true })
    await page.keyboard.press('Escape')
    expect(await bar.isVisible()).toBe(false)
  })

  test.for([
    ['on a touch screen', { hasTouch: true, isMobile: true }],
    ['without JavaScript', { javaScriptEnabled: false }],
  ] as const)('%s, a checkbox is visible and does not cover the title on the cover', async ([, options]) => {
    const person = await personWith(numbered(2))
    const page = await open(person, '/library?view=grid', { ...options, viewport: { width: 390, height: 844 } })
    const card = page.locator('.book-card', { hasText: 'Title 001' })
    const tick = card.locator('.book-tick')
    expect(await page.evaluate('getComputedStyle(document.querySelector(".book-tick")).opacity')).toBe('1')
    const cover = await card.locator('.cover').boundingBox()
    const box = await tick.boundingBox()
    expect(box?.y).toBeGreaterThan((cover?.y ?? Infinity) + (cover?.height ?? Infinity))
    await tick.click()
    expect(await card.getByRole('checkbox').isChecked()).toBe(true)
  })

  test.for(['/library?view=grid', '/library?view=list'])('%s is accessible with many kinds of books', async (path) => {
    const person = await personWith([
      { title: 'كتاب الحيوان', author: 'الجاحظ', language: 'ar' },
      { title: 'x'.repeat(300) },
      { title: 'Broken', status: 'FAILED', health: 'failed', healthReason: 'It is broken.' },
      { title: 'Read', pageCount: 10 },
      { title: 'By many', author: 'The Project of Many Authors and All Its Friends <friends@lists.example.org>' },
    ])
    const { readingPositions } = server.running.opened.services
    readingPositions.save(person.account.id, person.ids[3] as string, { page: 3, of: 10, version: 1, at: new Date() })
    await makeShelf(server, person.account, 'A shelf')
    const page = await open(person, path)
    await page.getByRole('checkbox').first().check({ force: true })
    await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core'), 'utf8'))
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      const found = await page.evaluate<string[]>(
        'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + nodes.map(({ html }) => html).join(" ")))',
      )
      expect(found).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    }
  })
})
