import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { withQuote } from '../../src/reading/page-url.ts'
import { makeBook } from '../support/make-book.ts'
import { chromiumNeed, describeWith, launchBrowser } from '../support/system-needs.ts'
import { password, signedInPerson, type WebPerson } from '../support/signed-in-person.ts'
import { rest } from '../support/transports.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

const filler = (what: string) => `${`${what} goes on and on, line after line. `.repeat(12)}\n\n`
const content = `# The Sea

${filler('The prologue').repeat(6)}A ship & its *crew* sailed—“slowly”, they said—to the [far
islands](https://islands.example/a_(b)), where H<sub>2</sub>O is salt.[^1] The extra-
ordinary albatross

flew over \`them\` all.

${filler('The epilogue').repeat(6)}
[^1]: So it is said.

# Birds

| Bird | Span |
| --- | --- |
| Wandering albatross | 3.5 m |

${filler('Another page')}
`
const hostile = `# <img src=http://evil.example/1.png>

![x](http://evil.example/2.png) <script src="http://evil.example/3.js"></script><style>@import url(http://evil.example/4.css)</style>
<iframe src="http://evil.example/5"></iframe> [a](javascript:alert(1)) [b](http://evil.example/6)
<svg><image href="http://evil.example/7.png"/></svg> $\\includegraphics{http://evil.example/8.png}$

\`\`\`html
<img src="http://evil.example/9.png" onerror=alert(1)>
\`\`\`

| a |
| --- |
| <td style="background:url(http://evil.example/10.png)"> |
`

describeWith(chromiumNeed)('the reader in a browser', () => {
  let browser: Browser
  let launched: Promise<Browser> | undefined
  const browserWithWindows = () => (launched ??= launchBrowser({ windows: true }))
  let ada: WebPerson
  let key: string
  let book: string

  beforeAll(async () => {
    browser = await launchBrowser()
    ada = await signedInPerson(server, { name: 'Ada' })
    key = (await createApiKey(server.running.opened.services, ada.account.id, {})).key
    book = await makeBook(server, ada.account, { title: 'The Sea', content })
  })
  afterAll(() => Promise.all([browser?.close(), launched?.then((opened) => opened.close())]))

  type ContextOptions = Parameters<Browser['newContext']>[0] & { in?: Browser }

  async function open({ in: opened = browser, ...options }: ContextOptions = {}, person: WebPerson | null = ada) {
    const context = await opened.newContext({ viewport: { width: 1280, height: 800 }, ...options })
    onTestFinished(() => context.close())
    if (person) {
      const cookies = [...person.browser.cookies].map(([name, value]) => ({ name, value, url: server.baseUrl }))
      await context.addCookies(cookies)
    }
    return watch(context)
  }

  async function watch(context: BrowserContext) {
    const page = await context.newPage()
    const problems: string[] = []
    page.on('console', (message) => problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on('request', (request) => {
      if (!request.url().startsWith(server.baseUrl)) problems.push(`remote: ${request.url()}`)
    })
    return { page, problems }
  }

  /** Returns the highlighted words, and whether they are visible without scrolling. */
  async function markedOn(page: Page): Promise<{ text: string; visible: boolean }> {
    const marks = page.locator('mark.quoted')
    await marks.first().waitFor()
    const texts = await marks.allTextContents()
    const box = await marks.first().boundingBox()
    const height = page.viewportSize()?.height ?? 0
    return { text: texts.join(' ').replaceAll(/\s+/g, ' '), visible: box !== null && box.y >= 0 && box.y < height }
  }

  const call = async (tool: string, input: Record<string, unknown>) =>
    (await rest.call(server, { ...ada.account, key }, tool, input)).body

  test('titles from right to left begin beside the page number, however long they are', async () => {
    const titles = ['مقدمه', 'راهنمای استفاده از کلاس و نمونه‌ای از یک فصل با عنوان بلند']
    const persian = await makeBook(server, ada.account, {
      title: 'Persian',
      content: titles.map((title) => `# ${title}\n\nمتن.\n`).join('\n'),
    })
    const { page } = await open()
    await page.goto(`${server.baseUrl}/books/${persian}/pages/1`)
    const ends = await page
      .locator('.reader-contents li')
      .evaluateAll((entries) =>
        (
          entries as unknown as { querySelector(selector: string): { getBoundingClientRect(): { right: number } } }[]
        ).map((entry) => entry.querySelector('[dir]').getBoundingClientRect().right),
      )
    expect(ends).toHaveLength(titles.length)
    expect(ends[0]).toBeCloseTo(ends[1] ?? 0, 0)
  })

  test('printed text keeps a distance from the title of the page', async () => {
    const { page } = await open()
    await page.goto(`${server.baseUrl}/books/${book}/pages/1`)
    await page.emulateMedia({ media: 'print' })
    const title = await page.locator('.reader-head').boundingBox()
    const text = await page.locator('[data-page-text]').boundingBox()
    expect((text?.y ?? 0) - ((title?.y ?? 0) + (title?.height ?? 0))).toBeGreaterThanOrEqual(12)
  })

  test('a quotation is highlighted for a reader who has to sign in first', async () => {
    const { page } = await open({}, null)
    await page.goto(withQuote(`${server.baseUrl}/books/${book}/pages/1`, 'flew over'))
    await page.getByLabel('Email address').fill(ada.email)
    await page.getByLabel('Password').fill('not the password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('is incorrect').waitFor()
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    expect(await markedOn(page)).toEqual({ text: 'flew over', visible: true })
  })

  test('a quotation from read_items is highlighted, across line ends, hyphens, marks and blocks', async () => {
    const { items } = await call('read_items', { items: [{ id: book, pages: '1' }] })
    const [{ content: stored, url }] = items[0].pages
    const { page, problems } = await open()
    const quotes: [from: string, to: string, marked: string][] = [
      ['A ship &', 'crew*', 'A ship & its crew'],
      ['sailed—', 'islands](https://islands.example/a_(b))', 'sailed—“slowly”, they said—to the far islands'],
      ['is salt.', 'all.', 'is salt. The extra- ordinary albatross flew over them all'],
    ]
    for (const [from, to, marked] of quotes) {
      const start = stored.indexOf(from)
      const quote = stored.slice(start, stored.indexOf(to, start) + to.length)
      await page.goto('about:blank')
      await page.goto(`${url}#quote=${encodeURIComponent(quote)}`)
      const { text, visible } = await markedOn(page)
      expect([text, visible]).toEqual([marked, true])
    }
    await page.goto('about:blank')
    await page.goto(withQuote(url, 'a SHIP  &  its crew sailed - "slowly"'))
    expect((await markedOn(page)).text).toBe('A ship & its crew sailed—“slowly')
    // Opens another quotation on the page that is already open.
    await page.evaluate("location.hash = 'quote=' + encodeURIComponent('The epilogue goes on')")
    await expect.poll(() => page.locator('mark.quoted').allTextContents()).toEqual(['The epilogue goes on'])
    expect(problems).toEqual([])
  })

  test('the contents lead to the sections of a page, and mark the one that is being read', async () => {
    const sections = ['Ebb', 'Flood', 'Spring'].map((title) => `## ${title}\n\n${filler(title).repeat(6)}`)
    const id = await makeBook(server, ada.account, { title: 'Tides', content: `# Tides\n\n${sections.join('')}` })
    const { page, problems } = await open()
    await page.goto(`${server.baseUrl}/books/${id}/pages/1`)
    const marked = page.locator('.reader-contents [aria-current] span').first()
    const heading = page.locator('.page-text h3', { hasText: 'Flood' })
    expect(await marked.textContent()).toBe('Tides')
    await page.locator('.reader-contents a', { hasText: 'Flood' }).click()
    await expect.poll(() => marked.textContent()).toBe('Flood')
    expect(await page.locator('.reader-contents [aria-current]').count()).toBe(1)
    expect(Math.abs((await heading.boundingBox())?.y ?? NaN)).toBeLessThan(60)
    await page.keyboard.press('Home')
    await expect.poll(() => marked.textContent()).toBe('Tides')
    await page.goto(`${server.baseUrl}/books/${id}/pages/1#p-spring`)
    await expect.poll(() => marked.textContent()).toBe('Spring')
    expect(problems).toEqual([])
  })

  test('the URLs that search and check_citations return open at their passage', async () => {
    const { items } = await call('search_items', { query: 'extraordinary albatross' })
    const hit = items[0].hits.find(({ page }: { page: number }) => page === 1)
    const { page, problems } = await open()
    await page.goto(hit.url)
    expect((await markedOn(page)).visible).toBe(true)

    const quote = 'where H2O is salt'
    const stored = 'where H<sub>2</sub>O is salt'
    const checked = await call('check_citations', {
      citations: [
        { itemId: book, page: 1, quote: stored },
        { itemId: book, page: 2, quote: 'Wandering albatross | 3.5 m' },
        { itemId: book, page: 1, quote: 'nothing of the kind is here at all' },
      ],
    })
    const [first, second, third] = checked.citations
    expect([first.found, second.found, third.found]).toEqual([true, true, false])
    await page.goto('about:blank')
    await page.goto(first.url)
    expect(await markedOn(page)).toEqual({ text: 'where H 2 O is salt', visible: true })
    expect(quote).toBe('where H2O is salt')
    await page.goto('about:blank')
    await page.goto(second.url)
    expect(await markedOn(page)).toEqual({ text: 'Wandering albatross 3.5 m', visible: true })
    expect(third.url).not.toContain('#')
    expect(problems).toEqual([])
  })

  test('a missing quotation is reported, and the exact text view highlights it, too', async () => {
    const { page } = await open()
    await page.goto(`${server.baseUrl}/books/${book}/pages/2#quote=nothing%20of%20the%20kind%20here`)
    await page.getByText('This version of the page does not contain the quotation').waitFor()
    expect(await page.locator('mark').count()).toBe(0)
    await page.goto('about:blank')
    await page.goto(`${server.baseUrl}/books/${book}/pages/1?as=stored#quote=A%20ship%20%26%20its%20crew`)
    expect((await markedOn(page)).text).toBe('A ship & its *crew')
    for (const hash of ['quote=', 'quote=%E0%A4%A', 'quote=%00', `quote=${'a'.repeat(5000)}`, 'quote=<img src=x>']) {
      await page.goto('about:blank')
      expect((await page.goto(`${server.baseUrl}/books/${book}/pages/1#${hash}`))?.status()).toBe(200)
    }
  })

  test('others see nothing of it: a stranger gets 404, a visitor the sign-in page', async () => {
    const url = `${server.baseUrl}/books/${book}/pages/1?v=1#quote=A%20ship`
    const stranger = await open({}, await signedInPerson(server))
    expect((await stranger.page.goto(url))?.status()).toBe(404)
    expect(await stranger.page.content()).not.toMatch(/A ship|The Sea/)
    const visitor = await open({}, null)
    await visitor.page.goto(url)
    expect(visitor.page.url()).toContain('/sign-in?next=')
    expect(await visitor.page.content()).not.toMatch(/A ship|The Sea/)
  })

  test('keys turn pages, except in fields', async () => {
    const { page } = await open()
    await page.goto(`${server.baseUrl}/books/${book}/pages/1?v=1`)
    for (const [pressed, at] of [
      ['ArrowRight', 2],
      ['ArrowLeft', 1],
      ['j', 2],
      ['k', 1],
    ] as const) {
      await page.keyboard.press(pressed)
      await page.waitForURL(new RegExp(`pages/${at}\\?v=1`))
      await page.waitForLoadState()
      expect(await page.evaluate('scrollY')).toBe(0)
    }
    await page.keyboard.press('/')
    expect(await page.evaluate('document.activeElement?.id')).toBe('find')
    await page.keyboard.type('j')
    expect(page.url()).toContain('pages/1')
    expect(await page.inputValue('#find')).toBe('j')
    await page.fill('#find', 'wandering')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Page 2' }).click()
    await page.locator('mark', { hasText: 'Wandering' }).waitFor()
    await page.fill('#page', '1')
    await page.press('#page', 'Enter')
    await page.waitForURL(/pages\/1\?v=1$/)
  })

  test.for([1280, 360])('a click on the arrows turns the page in a window of %i pixels', async (width) => {
    const { page } = await open({ viewport: { width, height: 800 } })
    await page.goto(`${server.baseUrl}/books/${book}/pages/1?v=1`)
    const arrow = (direction: string) => page.locator(`.reader-bar a[rel="${direction}"]`)
    await arrow('next').click()
    await page.waitForURL(/pages\/2\?v=1$/)
    await page.click('#page')
    await arrow('prev').click()
    await page.waitForURL(/pages\/1\?v=1$/)
    await page.fill('#page', '2')
    await page.getByRole('button', { name: 'Go' }).click()
    await page.waitForURL(/pages\/2\?v=1$/)
  })

  test('keys that type a character can be switched off, on all pages; arrow keys stay', async () => {
    const bob = await signedInPerson(server)
    const id = await makeBook(server, bob.account, { content: `# A\n\n${filler('Text')}\n# B\n\n${filler('More')}` })
    const { page } = await open({}, bob)
    await page.goto(`${server.baseUrl}/books/${id}/pages/1`)
    await page.locator('summary[title="Display"]').click()
    const saved = page.waitForResponse((response) => response.url().endsWith('/reading-preferences'))
    await page.getByRole('group', { name: 'Keys j, k and /' }).getByText('Off').click()
    await saved
    await page.keyboard.press('Escape')
    const pressBoth = async () => {
      await page.keyboard.press('/')
      expect(await page.evaluate('document.activeElement.id')).not.toBe('find')
      await page.keyboard.press('j')
    }
    await pressBoth()
    await page.reload()
    await pressBoth()
    expect(page.url()).toContain('pages/1')
    await page.keyboard.press('ArrowRight')
    await page.waitForURL(/pages\/2/)
    await page.goto(`${server.baseUrl}/account`)
    await page.keyboard.press('/')
    expect(await page.evaluate('document.documentElement.className')).toBe('keys-off')
    await page.waitForTimeout(300)
    expect(page.url()).toBe(`${server.baseUrl}/account`)
  })

  test.for([
    ['no-preference', true],
    ['reduce', false],
  ] as const)('with motion %s, one page fades into the next: %s', async ([reducedMotion, fades]) => {
    const { page } = await open({ in: await browserWithWindows(), reducedMotion })
    await page.addInitScript(
      "addEventListener('pagereveal', (event) => { window.faded = event.viewTransition !== null })",
    )
    await page.goto(`${server.baseUrl}/books/${book}/pages/1`)
    await page.keyboard.press('ArrowRight')
    await page.waitForURL(/pages\/2/)
    await page.waitForLoadState()
    expect(await page.evaluate('window.faded')).toBe(fades)
  })

  test('appearance settings apply at once and are kept', async () => {
    const bob = await signedInPerson(server)
    const id = await makeBook(server, bob.account, { content: `# A\n\n${filler('Text')}` })
    const { page, problems } = await open({}, bob)
    await page.goto(`${server.baseUrl}/books/${id}/pages/1`)
    const look = () =>
      page.evaluate(
        "[getComputedStyle(document.body.parentElement).backgroundColor, getComputedStyle(document.querySelector('.page-text')).fontSize].join()",
      )
    const before = await look()
    await page.locator('summary[title="Display"]').click()
    const saved = page.waitForResponse((response) => response.url().endsWith('/reading-preferences'))
    await page.getByText('Sepia').click()
    await saved
    const again = page.waitForResponse((response) => response.url().endsWith('/reading-preferences'))
    await page.getByText('Largest').click()
    await again
    const after = await look()
    expect(after).not.toBe(before)
    await page.reload()
    expect(await look()).toBe(after)
    expect(problems).toEqual([])
  })

  test('a hostile book makes no request, breaks no page rule and runs nothing', async () => {
    const id = await makeBook(server, ada.account, { title: '<img src=http://evil.example/0.png>', content: hostile })
    const { page, problems } = await open()
    page.on('dialog', (dialog) => {
      problems.push('dialog')
      void dialog.dismiss()
    })
    await page.addInitScript(
      "addEventListener('securitypolicyviolation', (e) => console.log('csp ' + e.violatedDirective))",
    )
    for (const path of ['pages/1', 'pages/1?as=stored', 'pages/1?mark=img+script#p-mark', 'find?q=evil']) {
      expect((await page.goto(`${server.baseUrl}/books/${id}/${path}`))?.status(), path).toBe(200)
      expect(await page.locator('.page-text :is(img, script, style, iframe, svg, image, form, input)').count()).toBe(0)
    }
    expect(problems).toEqual([])
  })

  const axe = createRequire(import.meta.url).resolve('axe-core')

  test.for([
    [1280, 0],
    [360, 1],
  ] as const)(
    'lines of code stay whole in a window of %i, in which 80 characters scroll: %i',
    async ([width, scrolls]) => {
      const { page } = await open({ viewport: { width, height: 800 } })
      const lines = Array.from({ length: 5 }, (_, index) => `total ${index}`.padEnd(75, ' ') + '$ 1.0')
      const id = await makeBook(server, ada.account, { content: `\`\`\`\n${lines.join('\n')}\n\`\`\`\n` })
      await page.goto(`${server.baseUrl}/books/${id}/pages/1`)
      const [rows, overflow] = await page.evaluate<[number, boolean]>(
        `(({ children: [code], scrollWidth, clientWidth }) => [
        Math.round(code.getBoundingClientRect().height / parseFloat(getComputedStyle(code).lineHeight)),
        scrollWidth > clientWidth,
      ])(document.querySelector('.page-text pre'))`,
      )
      expect([rows, Number(overflow)]).toEqual([5, scrolls])
    },
  )

  test('lists, quotations, tables and notes of a book in Arabic begin on the right, within a narrow window', async () => {
    const blocks = [
      '- الأول\n- الثاني',
      '- الأول\n\n- الثاني',
      '> اقتباس',
      '| الاسم | العدد |\n| --- | --- |\n| قطة | ٣ |',
    ]
    const notes = 'نص[^1]\n\n[^1]: حاشية'
    const english = '- First\n- Second\n\n> Quoted\n\n| Name | Number |\n| --- | --- |\n| Cat | 3 |'
    const { page } = await open({ viewport: { width: 320, height: 800 } })
    const directions = () =>
      page.evaluate<string[]>(
        "[...document.querySelectorAll('.page-text :is(ul, ol, blockquote, table)')].map((one) => getComputedStyle(one).direction)",
      )
    for (const [text, direction] of [
      [[...blocks, notes].join('\n\n***\n\n'), 'rtl'],
      [english, 'ltr'],
    ] as const) {
      const id = await makeBook(server, ada.account, { title: 'كتاب', content: text })
      await page.goto(`${server.baseUrl}/books/${id}/pages/1`)
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), direction).toBeLessThanOrEqual(0)
      expect(new Set(await directions()), direction).toEqual(new Set([direction]))
    }
  })

  test('code or a formula at its start does not turn a paragraph in Arabic round', async () => {
    const arabic = '`npm` أمر\n\n<code>npm</code> أمر\n\n$x^2$ مربع\n\n`npm`\n\n`npm` runs'
    const id = await makeBook(server, ada.account, { title: 'كتاب', content: arabic })
    const { page } = await open()
    await page.goto(`${server.baseUrl}/books/${id}/pages/1`)
    const directions = await page.evaluate<string[]>(
      "[...document.querySelectorAll('.page-text p')].map((one) => getComputedStyle(one).direction)",
    )
    expect(directions).toEqual(['rtl', 'rtl', 'rtl', 'ltr', 'ltr'])
  })

  test.for([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    // Equals a window of 1280 at 200 %.
    ['dark', 640],
  ] as const)(
    '%s at %d px: nothing is cut off and axe finds no violations',
    { timeout: 180_000 },
    async ([colorScheme, width]) => {
      const { page } = await open({ viewport: { width, height: 800 }, colorScheme })
      const table = `# Wide\n\n${'| word '.repeat(30)}|\n${'| --- '.repeat(30)}|\n${'| text '.repeat(30)}|\n\n${'x'.repeat(400)}\n\n$$\n${'x + '.repeat(80)}y\n$$\n\n\`\`\`js\n${'const a = 1; '.repeat(40)}\n\`\`\`\n`
      const wide = await makeBook(server, ada.account, { title: `Wide ${'word'.repeat(30)}`, content: table })
      for (const path of [
        `${book}/pages/1`,
        `${book}/pages/1#contents`,
        `${wide}/pages/1`,
        `${book}/find?q=albatross`,
      ]) {
        await page.goto('about:blank')
        await page.goto(`${server.baseUrl}/books/${path}`)
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), path).toBeLessThanOrEqual(0)
        await page.evaluate(await readFile(axe, 'utf8'))
        const found: { id: string; nodes: { html: string }[] }[] = await page.evaluate(
          'axe.run().then(({ violations }) => violations)',
        )
        expect(found.map(({ id, nodes }) => [path, id, nodes[0]?.html])).toEqual([])
      }
    },
  )

  test('lines around and through parts of formulas are drawn', async () => {
    const { page } = await open()
    const formulas = String.raw`$\boxed{a}$ $\cancel{b}$ $\xcancel{c}$ $\angl{d}$ $e$`
    const maths = await makeBook(server, ada.account, { title: 'Maths', content: `# Boxes\n\n${formulas}\n` })
    await page.goto(`${server.baseUrl}/books/${maths}/pages/1`)
    const drawn = await page.evaluate(`[...document.querySelectorAll('menclose')].map((part) => {
      const { backgroundImage, borderTopWidth, borderLeftWidth } = getComputedStyle(part)
      const strokes = backgroundImage.split('linear-gradient').length - 1
      return [part.textContent, borderTopWidth !== '0px', borderLeftWidth !== '0px', strokes]
    })`)
    // The content; whether there is a line above and one on the left; the number of strokes.
    expect(drawn).toEqual([
      ['a', true, true, 0],
      ['b', false, false, 1],
      ['c', false, false, 2],
      ['d', true, false, 0],
    ])
  })

  test('a swipe turns the page; a scroll or a short swipe does not', async () => {
    const wide = `| ${'wide'.repeat(30)} | table |\n| --- | --- |\n| a | b |`
    const fitting = '| narrow | table |\n| --- | --- |\n| a | b |'
    const pages = [filler('Long').repeat(6), `${wide}\n\n${fitting}`].map((text) => `# A chapter\n\n${text}`)
    const id = await makeBook(server, ada.account, { content: pages.join('\n\n') })
    const { page } = await open({
      in: await browserWithWindows(),
      hasTouch: true,
      viewport: { width: 360, height: 740 },
    })
    await page.goto(`${server.baseUrl}/books/${id}/pages/1?v=1`)
    const devtools = await page.context().newCDPSession(page)
    const swipe = async (from: readonly [number, number], to: readonly [number, number]) => {
      const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', points: readonly (readonly [number, number])[]) =>
        devtools.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y]) => ({ x, y })) })
      await touch('touchStart', [from])
      await touch('touchMove', [to])
      await touch('touchEnd', [])
    }
    // Browsers ignore touches until they have painted the page.
    const arrivedAt = async (url: RegExp) => {
      await page.waitForURL(url)
      await page.waitForLoadState()
      await expect.poll(() => page.evaluate("performance.getEntriesByType('paint').length")).toBeGreaterThan(0)
    }
    const fromTop = () => page.locator('[data-page-text]').evaluate((text) => text.getBoundingClientRect().top)
    expect(await fromTop()).toBeGreaterThan(200)
    await swipe([300, 400], [260, 400])
    await swipe([300, 400], [120, 410])
    await arrivedAt(/pages\/2\?v=1/)

    const [wideAt, fittingAt] = await Promise.all(
      [0, 1].map(async (n) => (await page.locator('.page-text table').nth(n).boundingBox())?.y ?? 0),
    )
    await swipe([60, wideAt! + 10], [250, wideAt! + 10])
    await swipe([250, wideAt! + 10], [60, wideAt! + 10])
    await expect.poll(() => page.evaluate("document.querySelector('.page-text .scroll').scrollLeft")).toBeGreaterThan(0)
    expect(page.url()).toContain('/pages/2')
    await swipe([60, fittingAt! + 10], [250, fittingAt! + 10])
    await arrivedAt(/pages\/1\?v=1/)

    // On a phone, the text begins at the top of a page that was opened by turning.
    expect(Math.abs(await fromTop())).toBeLessThan(30)
    const top = await page.evaluate<number>('scrollY')
    await swipe([300, 600], [200, 350])
    await expect.poll(() => page.evaluate<number>('scrollY')).toBeGreaterThan(top + 100)
    expect(page.url()).toContain('/pages/1')
    // The swipe did not trigger the browser's own gesture for "back": the page was turned by a link.
    expect(await page.evaluate('history.length')).toBe(4)
  })

  test('a citation is copied, with the selected words and a link that highlights them', async () => {
    const { page } = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
    await page.goto(`${server.baseUrl}/books/${book}/pages/1?v=1`)
    const copied = async () => {
      await page.locator('button[data-cite]').click()
      await page.getByText('Citation copied').last().waitFor()
      return page.evaluate<string>('navigator.clipboard.readText()')
    }
    const plain = await copied()
    expect(plain).toContain('The Sea')
    expect(plain.split('\n')[1]).toBe(`${server.baseUrl}/books/${book}/pages/1?v=1`)
    const words = await page.evaluate<string>(`(() => {
      const text = document.querySelector('[data-page-text] p').firstChild
      getSelection().setBaseAndExtent(text, 0, text, 20)
      return getSelection().toString().trim()
    })()`)
    const [quoted = '', link = ''] = (await copied()).split('\n')
    expect(quoted).toContain(`“${words}”`)
    await page.goto('about:blank')
    await page.goto(link)
    expect((await markedOn(page)).text).toContain(words)
  })

  /** Selects from the beginning of one text to the end of another on the page, and waits for the link. */
  async function select(page: Page, [from, to]: readonly [string, string]): Promise<void> {
    await page.evaluate(`(() => {
      const [first, last] = ${JSON.stringify([from, to])}
      const walker = document.createTreeWalker(document.querySelector('[data-page-text]'), NodeFilter.SHOW_TEXT)
      const nodes = []
      while (walker.nextNode()) nodes.push(walker.currentNode)
      const start = nodes.findLast(({ data }) => data.includes(first))
      const end = nodes.findLast(({ data }) => data.includes(last))
      getSelection().setBaseAndExtent(start, start.data.lastIndexOf(first), end, end.data.lastIndexOf(last) + last.length)
    })()`)
    await page.locator('a[data-passage]').waitFor()
  }

  test('selected words have a link that opens the page with them marked, also in scripts without spaces', async () => {
    const { page, problems } = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
    const japanese = `# 海\n\n${'海は広いな大きいな。月がのぼるし日が沈む。'.repeat(20)}`
    const id = await makeBook(server, ada.account, { title: '海', content: japanese })
    for (const [path, words, marked] of [
      [`/books/${book}/pages/1?v=1`, ['A ship &', 'said—to'], /^A ship & its crew sailed—“slowly”, they said—to$/],
      // With a note in between, and Markdown that the page of the link does not show.
      [`/books/${book}/pages/1?v=1`, ['is salt', 'The extra-'], /^is salt\. The extra$/],
      [`/books/${book}/pages/1?v=1&as=stored`, ['islands](https', 'where H'], /^islands , where H$/],
      [`/books/${id}/pages/1?v=1`, ['月がのぼるし', '沈む'], /^月がのぼるし日が沈む/],
    ] as const) {
      await page.goto(`${server.baseUrl}${path}`)
      expect(await page.locator('a[data-passage]').isVisible()).toBe(false)
      await select(page, words)
      await page.getByText('Copy link to these words').click()
      await page.getByText('Link copied').waitFor()
      const link = await page.evaluate<string>('navigator.clipboard.readText()')
      expect(link.startsWith(`${server.baseUrl}${path.replace('&as=stored', '')}#quote=`)).toBe(true)
      expect(link.length).toBeLessThan(500)
      await page.goto('about:blank')
      await page.goto(link)
      expect((await markedOn(page)).text).toMatch(marked)
    }
    expect(problems).toEqual([])
  })

  test('a link to words that the page has several times leads to the selected ones', async () => {
    const { page } = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
    const gulls = ['the harbour', 'the cliffs', 'the open sea'].map((place) => `The gulls cry over ${place}.`)
    const id = await makeBook(server, ada.account, { title: 'Gulls', content: `# Gulls\n\n${gulls.join('\n\n')}` })
    await page.goto(`${server.baseUrl}/books/${id}/pages/1?v=1`)
    await select(page, ['The gulls', 'The gulls'])
    await page.getByText('Copy link to these words').click()
    await page.getByText('Link copied').waitFor()
    const link = await page.evaluate<string>('navigator.clipboard.readText()')
    await page.goto('about:blank')
    await page.goto(link)
    expect((await markedOn(page)).text).toBe('The gulls cry over the o')
  })

  test('without access to the clipboard, the link opens the passage; without a selection, there is none', async () => {
    const { page } = await open()
    await page.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    await page.goto(`${server.baseUrl}/books/${book}/pages/1?v=1`)
    await select(page, ['flew over', 'flew over'])
    await page.getByText('Link to these words', { exact: true }).click()
    expect((await markedOn(page)).text).toBe('flew over')
    expect(page.url()).toBe(`${server.baseUrl}/books/${book}/pages/1?v=1#quote=flew%20over`)
    await page.evaluate('getSelection().removeAllRanges()')
    await expect.poll(() => page.locator('a[data-passage]').isVisible()).toBe(false)
    await page.evaluate("getSelection().selectAllChildren(document.querySelector('.reader-head h1'))")
    await page.waitForTimeout(400)
    expect(await page.locator('a[data-passage]').isVisible()).toBe(false)
  })

  test('the first message at the bottom of a page is announced, because its live region is there before', async () => {
    const { page } = await open({ permissions: ['clipboard-write'] })
    await page.goto(`${server.baseUrl}/books/${book}/pages/1`)
    await page.evaluate(`new MutationObserver((changes) => {
      window.added ??= changes.flatMap(({ addedNodes }) => [...addedNodes]).map((node) => [node.role, node.textContent])
    }).observe(document.body, { childList: true })`)
    await page.locator('button[data-cite]').click()
    await page.getByText('Citation copied').waitFor()
    expect(await page.evaluate('window.added')).toEqual([['status', '']])
  })

  test('a printed page contains the text of the book, without the controls', async () => {
    const { page } = await open({ colorScheme: 'dark' })
    await page.goto(`${server.baseUrl}/books/${book}/pages/1`)
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    const shown = await page.locator('body').innerText()
    expect(shown).toContain((await page.locator('.page-text p').first().innerText()).slice(0, 40))
    expect(shown).not.toMatch(/Library|Find in this book|Copy|Report a problem/)
    const ink = await page.evaluate("getComputedStyle(document.querySelector('.page-text')).color")
    expect(ink).toMatch(/^(?:rgb|oklch|color)\(/)
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('light')
  })

  test.for(['Escape', 'Close'])(
    'on a phone, %s closes the contents and returns to where they were opened',
    async (way) => {
      const { page } = await open({ viewport: { width: 360, height: 740 } })
      await page.goto(`${server.baseUrl}/books/${book}/pages/1`)
      await page.getByRole('link', { name: 'Contents' }).press('Enter')
      const contents = page.getByRole('navigation', { name: 'Contents' })
      await contents.waitFor()
      if (way === 'Escape') await page.keyboard.press('Escape')
      else await page.getByRole('link', { name: 'Close' }).click()
      await contents.waitFor({ state: 'hidden' })
      expect(await page.evaluate('document.activeElement?.textContent')).toBe('Contents')
      expect(page.url()).toBe(`${server.baseUrl}/books/${book}/pages/1`)
      await page.keyboard.press('Enter')
      await contents.waitFor()
    },
  )

  test('on a phone the contents open and close by links, and lines have a readable length', async () => {
    const phone = await open({ viewport: { width: 360, height: 740 }, javaScriptEnabled: false })
    await phone.page.goto(`${server.baseUrl}/books/${book}/pages/1`)
    const contents = phone.page.getByRole('navigation', { name: 'Contents' })
    expect(await contents.isVisible()).toBe(false)
    await phone.page.getByRole('link', { name: 'Contents' }).click()
    expect(await contents.isVisible()).toBe(true)
    await phone.page.getByRole('link', { name: 'Close' }).click()
    expect(await contents.isVisible()).toBe(false)

    const { page } = await open()
    await page.goto(`${server.baseUrl}/books/${book}/pages/1`)
    const perLine: number = await page.evaluate(`(() => {
      const p = [...document.querySelectorAll('.page-text p')].find(({ textContent }) => textContent.length > 300)
      const range = document.createRange()
      range.selectNodeContents(p)
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size
      return p.textContent.length / (lines - 0.5)
    })()`)
    expect(perLine).toBeGreaterThan(60)
    expect(perLine).toBeLessThan(76)
  })
})
