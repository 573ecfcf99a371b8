import { beforeAll, describe, expect, test } from 'vitest'
import { subscribeMarketplace } from '../../src/marketplace/subscribe-marketplace.ts'
import { putItemPage } from '../../src/writing/put-item-page.ts'
import { chaptersAtTop } from '../../src/web/pages/book/reader-contents.ts'
import { contextOf } from '../support/context.ts'
import { makeBook, markdownPages } from '../support/make-book.ts'
import { publishBook } from '../support/marketplace.ts'
import { readsUsed } from '../support/charge-reads.ts'
import { signedInPerson, type WebPerson } from '../support/signed-in-person.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { hiddenFields } from '../support/web-client.ts'

const server = useTestServer()
const inside = { 'Sec-Fetch-Site': 'same-origin' }
const outside = { 'Sec-Fetch-Site': 'none' }

let ada: WebPerson
beforeAll(async () => {
  ada = await signedInPerson(server)
})

const positionOf = async (person: WebPerson, book: string) =>
  (await server.running.opened.services.readingPositions.find(person.account.id, [book])).get(book)?.page

describe('the reading position', () => {
  test('follows turned pages, but not those opened by a link or a search', async () => {
    const book = await makeBook(server, ada.account, { content: markdownPages(9) })
    const page = (num: number, more = '') => `/books/${book}/pages/${num}?v=1${more}`
    await ada.browser.get(page(7), outside)
    expect(await positionOf(ada, book)).toBeUndefined()
    await ada.browser.get(page(3), inside)
    await ada.browser.get(page(5, '&mark=text'), inside)
    await ada.browser.get(page(8), { Referer: 'https://elsewhere.example/' })
    expect(await positionOf(ada, book)).toBe(3)
    await ada.browser.get(page(4), { Referer: `${server.baseUrl}${page(3)}` })
    expect(await positionOf(ada, book)).toBe(4)
    const looked = await ada.browser.get(page(8), outside)
    expect(looked.text).toContain('You were on page 4.')
    expect(looked.text).toContain(`href="${page(4)}">Go back there`)
    expect((await ada.browser.get(page(5), inside)).text).not.toContain('You were on page')
  })

  test('is not stored for users who may not read the book', async () => {
    const book = await makeBook(server, ada.account, { content: markdownPages(2) })
    const stranger = await signedInPerson(server)
    expect((await stranger.browser.get(`/books/${book}/pages/1`, inside)).status).toBe(404)
    expect(await positionOf(stranger, book)).toBeUndefined()
  })
})

describe('reading preferences', () => {
  test('are the same on every device, and separate for each reader', async () => {
    const book = await makeBook(server, ada.account, { content: 'A *text*.' })
    const path = `/books/${book}/pages/1?v=1`
    const chosen = { size: '5', theme: 'sepia', width: 'narrow', as: 'stored' }
    expect((await ada.browser.get(path)).text).toContain('class="reading size-3 theme-system width-normal"')
    const answer = await ada.browser.submit(path, '/reading-preferences', chosen)
    expect([answer.status, answer.location]).toEqual([303, path])
    const { text } = await ada.browser.get(path)
    expect(text).toContain('class="reading size-5 theme-sepia width-narrow"')
    expect(text).toContain('<p dir="auto">A *text*.</p>')
    expect(text).toMatch(/value="sepia" checked/)
    expect((await ada.browser.get(`${path}&as=text`)).text).toContain('A <em>text</em>.')
    const other = await signedInPerson(server)
    const hers = await makeBook(server, other.account, { content: 'x' })
    expect((await other.browser.get(`/books/${hers}/pages/1`)).text).toContain('size-3 theme-system')
  })

  test.for([
    [{ theme: 'pink' }, 400],
    [{ size: '9' }, 400],
    [{ csrf: 'x' }, 403],
  ] as const)('%j is refused', async ([fields, status]) => {
    const book = await makeBook(server, ada.account, { content: 'x' })
    const answer = await ada.browser.submit(`/books/${book}/pages/1`, '/reading-preferences', fields)
    expect(answer.status).toBe(status)
  })

  test('never redirect to another site', async () => {
    const book = await makeBook(server, ada.account, { content: 'x' })
    const next = 'https://evil.example/'
    const answer = await ada.browser.submit(`/books/${book}/pages/1`, '/reading-preferences', { next })
    expect(answer.location).toBe('/')
  })
})

describe('finding in a book', () => {
  const formTo = (page: string, action: string) =>
    new RegExp(`<form [^>]*action="${action}".*?</form>`, 's').exec(page)?.[0] ?? ''

  test('lists its pages with passages in order, and links to the highlighted words; costs no read', async () => {
    const content = Array.from(
      { length: 8 },
      (_, at) => `# Part ${at}\n\nOn page ${at} ${at % 2 ? 'whales swim' : 'cats sleep'}.\n`,
    )
    const book = await makeBook(server, ada.account, { title: 'Animals', content: content.join('') })
    await makeBook(server, ada.account, { title: 'Another', content: 'whales too' })
    const before = await readsUsed(server, ada.account)
    const { status, text } = await ada.browser.get(`/books/${book}/find?q=whale`)
    expect(status).toBe(200)
    expect(text).toContain('4 pages:')
    const links = [...text.matchAll(/href="(\/books\/[^"]+mark=[^"]+)"/g)].map(([, href = '']) => href)
    expect(links).toEqual([2, 4, 6, 8].map((page) => `/books/${book}/pages/${page}?v=1&mark=whale#p-mark`))
    expect(text).toContain('On page 3 <mark>whales</mark> swim.')
    expect(await readsUsed(server, ada.account)).toBe(before)
    const page = await ada.browser.get(links[1] ?? '')
    expect(page.text).toContain('<mark id="p-mark">whales</mark> swim')
    expect((await ada.browser.get(`/books/${book}/find?q=unicorns`)).text).toContain('No page contains these words.')
    const without = await ada.browser.get(`/books/${book}/find?q=${encodeURIComponent('page -whales')}`)
    expect(without.text).toContain('4 pages:')
    expect(without.text).not.toContain('swim')
    expect((await ada.browser.get(`/books/${book}/find?q=-whales`)).text).toContain('only leaves out words')
    const { text: relaxed } = await ada.browser.get(`/books/${book}/find?q="cats+swim"`)
    expect(relaxed).toContain('No page contains the phrase in quotation marks.')
    expect(relaxed).toContain('8 pages:')
  })

  test('from an older version says that the current one is searched', async () => {
    const book = await makeBook(server, ada.account, { title: 'Animals', content: '# Part 1\n\nWhales swim.\n' })
    await putItemPage(await contextOf(server, ada.account), {
      id: book,
      pageNum: 1,
      content: '# Part 1\n\nCats fear the harpoon.\n',
    })
    const notice = 'You were reading version 1.'
    const field = '<input type="hidden" name="v" value="1" />'
    for (const path of ['pages/1?v=1', 'find?v=1&q=cats', 'find?v=1&q=']) {
      const { text } = await ada.browser.get(`/books/${book}/${path}`)
      expect(formTo(text, `/books/${book}/find`), path).toContain(field)
      expect([path, text.includes(notice)]).toEqual([path, path.startsWith('find')])
    }
    const { text } = await ada.browser.get(`/books/${book}/find?v=1&q=harpon`)
    expect(text).toContain(`<a href="/books/${book}?v=1">Back to version 1</a>`)
    expect(text).toContain(`href="/books/${book}/find?v=1&amp;q=harpoon"`)
    for (const path of ['pages/1', 'pages/1?v=2', 'find?q=cats', 'find?v=2&q=cats', 'find?v=3&q=cats']) {
      const { text: current } = await ada.browser.get(`/books/${book}/${path}`)
      expect(formTo(current, `/books/${book}/find`), path).not.toContain(field)
      expect(current, path).not.toContain(notice)
    }
    expect((await ada.browser.get(`/books/${book}/find?v=x&q=cats`)).status).toBe(404)
  })

  test('shows hostile passages and titles as text', async () => {
    const title = '<script>alert(1)</script>'
    const book = await makeBook(server, ada.account, {
      title,
      content: 'Whales & `<img src=x onerror=alert(1)>` "whales"',
    })
    const { text } = await ada.browser.get(`/books/${book}/find?q=${encodeURIComponent('whales "><b>')}`)
    expect(text).toContain(
      '<mark>Whales</mark> &amp; &lt;img src=x onerror=alert(1)&gt; &quot;<mark>whales</mark>&quot;',
    )
    expect(text.slice(text.indexOf('<main'))).not.toMatch(/<script|<img|<b>/)
  })

  test('finds recently written text, and keeps a refused query', async () => {
    const book = await makeBook(server, ada.account, { content: markdownPages(3) })
    await putItemPage(await contextOf(server, ada.account), { id: book, pageNum: 2, content: '# New\n\nnarwhals\n' })
    expect((await ada.browser.get(`/books/${book}/find?q=narwhals`)).text).toContain(`/books/${book}/pages/2?v=2`)
    const refused = await ada.browser.get(`/books/${book}/find?q=${'x'.repeat(501)}`)
    expect([refused.status, refused.text.includes('at most 500 characters')]).toEqual([400, true])
    expect(refused.text).toContain(`value="${'x'.repeat(501)}"`)
  })

  test('requires access to the whole book: not a preview nor a book of somebody else', async () => {
    const seller = await server.createPerson({ plan: 'PRO' })
    const { itemId, listingId } = await publishBook(server, seller, { terms: { proOnly: true } })
    const { browser, account } = await signedInPerson(server, { plan: 'FREE' })
    expect((await browser.get(`/books/${itemId}/find?q=text`)).status).toBe(404)
    await subscribeMarketplace(await contextOf(server, account), { listingId })
    const preview = await browser.get(`/books/${itemId}/find?q=text`)
    expect(preview.status).toBe(403)
    expect(preview.text).toContain('read in full')
    expect(preview.text).not.toContain('reader-found')
    const page = await browser.get(`/books/${itemId}/pages/1`)
    expect([page.status, page.text.includes('role="search"')]).toEqual([200, false])
  })
})

/** Creates a book whose first pages are numbered i to iv in print, and the others 1 to 6. */
async function labelledBook(): Promise<string> {
  const book = await makeBook(server, ada.account, { content: markdownPages(10) })
  const rows = server.running.opened.database.db.collection<{ _id: string; label: string | null }>('pages')
  const ids = (await rows.find({ _id: { $gte: `${book}:`, $lt: `${book};` } }).toArray())
    .map(({ _id }) => _id)
    .toSorted()
  const labels = ['i', 'ii', 'iii', 'iv', '1', '2', '3', '4', '5', 'B 6']
  for (const [at, _id] of ids.entries()) await rows.updateOne({ _id }, { $set: { label: labels[at] ?? null } })
  return book
}

describe('going to a page', () => {
  test('works by its position in the book, and by the number printed on it', async () => {
    const book = await labelledBook()
    const go = async (page: string) => {
      const { status, location } = await ada.browser.get(`/books/${book}/go?v=1&page=${encodeURIComponent(page)}`)
      return [status, location?.replace(`/books/${book}/pages/`, '') ?? null]
    }
    const before = await readsUsed(server, ada.account)
    expect(await go('4')).toEqual([303, '4?v=1'])
    expect(await go(' iii ')).toEqual([303, '3?v=1&printed=1'])
    expect(await go('p. 2')).toEqual([303, '6?v=1&printed=1'])
    expect(await go('p2')).toEqual([303, '6?v=1&printed=1'])
    expect(await go('p. 9')).toEqual([303, '9?v=1'])
    expect(await go('B 6')).toEqual([303, '10?v=1&printed=1'])
    for (const page of ['11', '0', 'x', '', '-1', '$ne', 'p.', 'i'.repeat(30)])
      expect(await go(page), page).toEqual([404, null])
    expect(await readsUsed(server, ada.account)).toBe(before)
    const shown = await ada.browser.get(`/books/${book}/pages/6?v=1&printed=1`)
    expect(shown.text).toContain('The page printed “2” is page 6 of the book.')
    expect(shown.text).toContain('<span>Page 6, printed 2</span>')
    const stranger = await signedInPerson(server)
    expect((await stranger.browser.get(`/books/${book}/go?page=1`)).status).toBe(404)
  })

  test('leads back to the page of the reader if there is no page with the number', async () => {
    const book = await labelledBook()
    const refusal = async () => (await ada.browser.get(`/books/${book}/go?page=500`)).text
    expect(await refusal()).not.toContain('continue on')
    await ada.browser.get(`/books/${book}/pages/4`, { 'Sec-Fetch-Site': 'same-origin' })
    await expect.poll(refusal).toContain(`or <a href="/books/${book}/pages/4">continue on page 4</a>`)
  })

  test('keeps the picture of the page and the form of the text', async () => {
    const book = await labelledBook()
    const { text } = await ada.browser.get(`/books/${book}/pages/1?picture=1&as=stored`)
    const sent = new URLSearchParams({ ...hiddenFields(text, `/books/${book}/go`), page: 'iii' })
    const { location } = await ada.browser.get(`/books/${book}/go?${sent}`)
    expect(location).toBe(`/books/${book}/pages/3?v=1&picture=1&as=stored&printed=1`)
  })
})

describe('the table of contents next to a page', () => {
  test('is collapsed except for the chapters of the page, and marks the current one', async () => {
    const part = (at: number) =>
      `# Part ${at}\n\n## Chapter ${at}.1\n\n### Section ${at}.1.1\n\n## Chapter ${at}.2\n\nText.\n`
    const book = await makeBook(server, ada.account, { content: [1, 2, 3].map(part).join('') })
    const { text } = await ada.browser.get(`/books/${book}/pages/2`)
    const contents = text.slice(text.indexOf('id="contents"'))
    const titles = [...contents.matchAll(/<span dir="auto" lang="">([^<]+)<\/span>/g)].map(([, title]) => title)
    expect(titles).toEqual(['Part 1', 'Part 2', 'Chapter 2.1', 'Chapter 2.2', 'Part 3'])
    expect(contents.match(/aria-current="true"><span dir="auto" lang="">([^<]+)/)?.[1]).toBe('Part 2')
    expect(contents).toContain('All 12 entries')
  })

  test('keeps the version and the picture of the page', async () => {
    const book = await makeBook(server, ada.account, { content: '# One\n\nText.\n\n# Two\n\nText.\n' })
    const { text } = await ada.browser.get(`/books/${book}/pages/1?v=1&picture=1`)
    const contents = text.slice(text.indexOf('id="contents"'))
    expect(contents).toContain(`href="/books/${book}/pages/2?v=1&amp;picture=1#p-two"`)
  })

  test('marks the chapter in which the page begins, and leads to the headings', async () => {
    const content =
      'One.\n\n## A\n\n## The *tides* [see](x)\n\n# Two\n\nText.\n\n## A\n\n# Three\n\n## B\n\n## B\n\nx\n'
    const book = await makeBook(server, ada.account, { content })
    const marked = async (page: number) => {
      const { text } = await ada.browser.get(`/books/${book}/pages/${page}`)
      const contents = text.slice(text.indexOf('id="contents"'))
      const links = [...contents.matchAll(/href="[^"]*\/pages\/(\d+[^"]*)"/g)].map(([, path]) =>
        path?.replace('?v=1', ''),
      )
      return {
        current: contents.match(/aria-current="true"><span dir="auto" lang="">([^<]+)/)?.[1],
        head: text.match(/class="reader-chapter" dir="auto" lang="">([^<]+)/)?.[1],
        links,
        ids: [...text.matchAll(/<h\d [^>]*id="(p-[^"]+)"/g)].map(([, id]) => id),
      }
    }
    expect(await marked(1)).toMatchObject({ current: 'A', head: 'A', ids: ['p-a', 'p-the-tides-see'] })
    expect(await marked(2)).toMatchObject({ current: 'Two', head: 'Two', ids: ['p-two', 'p-a'] })
    const third = await marked(3)
    expect(third).toMatchObject({ current: 'Three', ids: ['p-three', 'p-b', 'p-b-1'] })
    expect(third.links).toEqual(['1#p-a', '1#p-the-tides-see', '2#p-two', '3#p-three', '3#p-b', '3#p-b-1'])
  })

  test.for<[what: string, page: number, content: string, chapters: string[]]>([
    ['a page that begins with text, before a heading', 2, 'The end of one.\n\n## Sub\n\nx', ['One']],
    ['a page that begins with a heading', 2, '\n## Sub\n\nx\n\n## More', ['One', 'Sub']],
    ['a page without headings, as in a scan', 2, 'SUB\n\nx', ['One', 'Sub']],
    ['what precedes the first chapter', 1, 'A motto.\n\n# One', ['One']],
    ['a page on which no chapter begins', 3, 'x\n\n# Not in the contents', ['Two']],
  ])('the chapter of %s', ([, pageNum, content, chapters]) => {
    const toc = [
      { title: 'One', page: 1, level: 1 },
      { title: 'Sub', page: 2, level: 2 },
      { title: 'Two', page: 2, level: 1 },
    ]
    expect(chaptersAtTop({ toc, pageNum, content })).toEqual(chapters)
  })

  test('below a title that contains the whole book is expanded before its first chapter, too', async () => {
    const content = 'A preface.\n\n# The Book\n\n## Chapter 1\n\n### Section 1.1\n\n## Chapter 2\n\nText.\n'
    const book = await makeBook(server, ada.account, { content })
    const { text } = await ada.browser.get(`/books/${book}/pages/1`)
    const contents = text.slice(text.indexOf('id="contents"'))
    const titles = [...contents.matchAll(/<span dir="auto" lang="">([^<]+)<\/span>/g)].map(([, title]) => title)
    expect(titles).toEqual(['The Book', 'Chapter 1', 'Chapter 2'])
  })

  test('the chapters of a page do not repeat the title of the book', async () => {
    const content = '# The storms\n\n## Gales\n\nA tempest.\n'
    const shown = async (title: string) => {
      const book = await makeBook(server, ada.account, { title, content })
      const pages = [`/books/${book}/pages/1`, `/books/${book}/find?q=tempest`, `/search?q=tempest+in:${book}`]
      const texts = await Promise.all(pages.map(async (page) => (await ada.browser.get(page)).text))
      const place = /class="(?:reader-chapter|facts)" dir="auto"[^>]*>([^<]+)|Page\s+1 · <span dir="auto">([^<]+)/
      return texts.map((text) => text.match(place)?.slice(1).join(''))
    }
    expect(await shown('Weather')).toEqual(['The storms', 'The storms › Gales', 'The storms › Gales'])
    expect(await shown('The Storms')).toEqual([undefined, 'Gales', 'Gales'])
  })

  test('of thousands of chapters stays short', async () => {
    const content = Array.from({ length: 900 }, (_, at) => `# Chapter ${at + 1}\n\nx\n`).join('')
    const book = await makeBook(server, ada.account, { content })
    const { text } = await ada.browser.get(`/books/${book}/pages/500`)
    const rows = [...text.matchAll(/<li class="level-1">/g)].length
    expect(rows).toBe(121)
    expect(text).toMatch(/aria-current="true"><span dir="auto" lang="">Chapter 500</)
  })
})

describe('a page that cannot be rendered', () => {
  test('is shown as stored, and says so', async () => {
    const long = await makeBook(server, ada.account, { content: 'word *word* '.repeat(10_000) })
    const { status, text } = await ada.browser.get(`/books/${long}/pages/1`)
    expect(status).toBe(200)
    expect(text).toContain('This page is very long')
    expect(text).toContain('word *word* word')
  })

  test('blocks no other page while it is tried', { timeout: 30_000 }, async () => {
    const notes = Array.from({ length: 6000 }, (_, at) => at)
    const costly = `${notes.map((at) => `[^${at}]`).join('')}\n\n${notes.map((at) => `[^${at}]: x`).join('\n')}`
    const book = await makeBook(server, ada.account, { content: costly.slice(0, 99_000) })
    const small = await makeBook(server, ada.account, { content: '# Small' })
    await ada.browser.get(`/books/${small}/pages/1`)
    const waiting = ada.browser.get(`/books/${book}/pages/1`)
    const times: number[] = []
    for (let i = 0; i < 10; i++) {
      const started = performance.now()
      expect((await ada.browser.get(`/books/${small}/pages/1`)).text).toContain('<h2')
      times.push(performance.now() - started)
    }
    expect((await waiting).text).toContain('This page could not be formatted')
    expect(times.toSorted((a, b) => a - b)[5]).toBeLessThan(500)
  })
})
