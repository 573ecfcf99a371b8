import { beforeAll, describe, expect, test } from 'vitest'
import { publishBook } from '../support/marketplace.ts'
import { rest } from '../support/transports.ts'
import { makeBook } from '../support/make-book.ts'
import type { Person } from '../support/server.ts'
import { signedInPerson } from '../support/signed-in-person.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { webClient } from '../support/web-client.ts'
import { countAddedBooks } from '../support/count-books.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let publisher: Person
let soap: string

beforeAll(async () => {
  publisher = await server.createPerson()
  const listing = await publishBook(server, publisher, {
    title: 'Soap <b>at</b> Home',
    description: '<script>alert(1)</script> lye and fat',
    terms: { category: 'science', tags: ['home'] },
  })
  soap = listing.listingId
  await publishBook(server, publisher, { title: 'Knots', terms: { category: 'history', proOnly: true } })
})

describe('Discover', () => {
  test('shows what others have published, as text, and requires a session', async () => {
    const { browser } = await signedInPerson(server)
    const { text } = await browser.get('/discover')
    expect(text).toContain('Soap &lt;b&gt;at&lt;/b&gt; Home')
    expect(text).not.toContain('<script>alert')
    expect(text).toContain('Pro plan; others get a preview')
    expect(text).toContain('2 books')
    expect((await webClient(server).get('/discover')).location).toBe('/sign-in?next=%2Fdiscover')
  })

  test.for([
    ['?q=soap', ['Soap'], 'soap · Discover'],
    ['?category=history', ['Knots'], 'History · Discover'],
    ['?tag=home', ['Soap'], 'Tag: home · Discover'],
    ['?sort=az', ['Knots', 'Soap'], 'Discover'],
    ['?q=nowhere', [], 'nowhere · Discover'],
    ['?category=nonsense&sort=nonsense&page=x', ['Knots', 'Soap'], 'Discover'],
  ] as const)('%s filters it', async ([query, titles, heading]) => {
    const { browser } = await signedInPerson(server)
    const { status, text } = await browser.get(`/discover${query}`)
    expect(status).toBe(200)
    const found = [...text.matchAll(/class="book-name"[^>]*>([A-Z][a-z]+)/g)].map(([, title]) => title)
    expect(found).toEqual(titles)
    expect(text).toContain(`<title>${heading}`)
    if (titles.length === 0) expect(text).toContain('No books found')
  })

  test('adds a book to the library and removes it', async () => {
    const { browser, account } = await signedInPerson(server)
    const added = await browser.submit('/discover?q=soap', '/discover/add', { listing: soap })
    expect(added.location).toBe('/discover?q=soap&done=add')
    const { text } = await browser.get(added.location ?? '')
    expect(text).toContain('The book is in your library.')
    expect((await browser.get('/library?show=marketplace')).text).toContain('Soap &lt;b&gt;at')
    const { subscriptions } = server.running.opened.services
    expect(await countAddedBooks(subscriptions, account.id)).toBe(1)
    const read = /href="(\/books\/[^"]+\/pages\/1)"/.exec(text)?.[1] ?? ''
    expect((await browser.get(read)).status).toBe(200)
    const removed = await browser.submit('/discover?q=soap', '/discover/remove', { listing: soap })
    expect(removed.location).toBe('/discover?q=soap&done=remove')
    expect(await countAddedBooks(subscriptions, account.id)).toBe(0)
  })

  test('shows long descriptions whole on request', async () => {
    const words = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ')
    await publishBook(server, publisher, { title: 'Long', description: words, terms: { category: 'design' } })
    const astral = '𝒜'.repeat(150)
    await publishBook(server, publisher, { title: 'Symbols', description: `x${astral}`, terms: { category: 'design' } })
    const { browser } = await signedInPerson(server)
    const { text } = await browser.get('/discover?category=design')
    const shown = [...text.matchAll(/class="listing-description"[^>]*>([^<]*)</g)].map(([, part]) => part ?? '')
    const partsOf = (start: string) => {
      const at = shown.findIndex((part) => part.startsWith(start))
      return shown.slice(at, at + 2)
    }
    const [beginning = '', remainder = ''] = partsOf('word0')
    expect(beginning).toMatch(/^word0 .* word\d+…$/)
    expect(`${beginning.slice(0, -1)} ${remainder}`).toBe(words)
    const [first = '', second = ''] = partsOf('x')
    expect(`${first.slice(0, -1)}${second}`).toBe(`x${astral}`)
    expect(text).toMatch(/<summary>Read on<span class="hidden-text">: Long<\/span><\/summary>/)
  })

  test('is where a link to a book leads that the reader has not added; other books are as unknown as before', async () => {
    const { itemId, listingId } = await publishBook(server, publisher, {
      title: 'Tents & poles',
      terms: { category: 'design' },
    })
    const { browser } = await signedInPerson(server)
    for (const path of [`/books/${itemId}`, `/books/${itemId}/pages/1`, `/books/${itemId}/versions`]) {
      const { status, text } = await browser.get(path)
      expect([path, status]).toEqual([path, 404])
      expect(text).toContain('<cite dir="auto">Tents &amp; poles</cite> is on the marketplace.')
      const [, link = '', card] = /href="(\/discover[^"#]*)#([^"]+)"/.exec(text) ?? []
      expect(card).toBe(`listing-${listingId}`)
      expect((await browser.get(link.replaceAll('&amp;', '&'))).text).toContain(`id="${card}"`)
    }
    const unlisted = await makeBook(server, publisher)
    const [secret, unknown] = [await browser.get(`/books/${unlisted}`), await browser.get('/books/unknown')]
    expect([secret.status, secret.text.includes('marketplace')]).toEqual([404, unknown.text.includes('marketplace')])
    await rest.call(server, publisher, 'withdraw_listing', { id: listingId })
    expect((await browser.get(`/books/${itemId}`)).text).not.toContain('Tents')
  })

  test('the page of a withdrawn book says that it cannot be added again once it is removed', async () => {
    const { browser } = await signedInPerson(server)
    const { itemId, listingId } = await publishBook(server, publisher, {
      title: 'Sails',
      terms: { category: 'devops' },
    })
    await browser.submit('/discover', '/discover/add', { listing: listingId })
    const warning = /leaves your library and your\s+shelves\. You cannot add it again/
    expect((await browser.get(`/books/${itemId}`)).text).not.toMatch(warning)
    await rest.call(server, publisher, 'withdraw_listing', { id: listingId })
    const { text } = await browser.get(`/books/${itemId}`)
    expect(text).toMatch(warning)
    expect(text).toContain('Remove from my library')
  })

  test('names categories in the same way everywhere', async () => {
    const author = await signedInPerson(server)
    const itemId = await makeBook(server, author.account, { title: 'Pipelines' })
    await author.browser.submit(`/books/${itemId}`, `/books/${itemId}/publish`, { category: 'devops' })
    const { text } = await author.browser.get('/discover?q=pipelines')
    expect(text).toMatch(/book-facts">[^<]* · DevOps</)
    expect((await author.browser.get(`/books/${await makeBook(server, author.account)}`)).text).toMatch(
      /<option value="devops"\s*>DevOps/,
    )
  })

  test('reports failures, and no form leaves this server', async () => {
    const { browser } = await signedInPerson(server)
    const gone = await browser.submit('/discover', '/discover/add', {
      listing: 'gone',
      back: 'https://evil.example/discover',
    })
    expect(gone.status).toBe(404)
    expect(gone.text).toContain('role="alert"')
    const away = await browser.submit('/discover', '/discover/add', {
      listing: soap,
      back: 'https://evil.example/discover',
    })
    expect(away.location).toBe('/discover?done=add')
    expect((await browser.post('/discover/remove', { listing: soap })).status).toBe(403)
  })

  test('recognises the books that the user has published', async () => {
    const person = await signedInPerson(server)
    const { createApiKey } = await import('../../src/accounts/create-api-key.ts')
    const { key } = await createApiKey(server.running.opened.services, person.account.id, {})
    await publishBook(server, { id: person.account.id, email: person.email, key }, { title: 'Mine alone' })
    const { text } = await person.browser.get('/discover?q=alone')
    expect(text).toContain('Yours')
    expect(text).not.toContain('action="/discover/add"')
  })
})
