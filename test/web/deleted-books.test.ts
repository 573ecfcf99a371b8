import { beforeAll, describe, expect, test } from 'vitest'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { makeBook } from '../support/make-book.ts'
import { seedBooks } from '../support/seed-books.ts'
import type { Person } from '../support/server.ts'
import { signedInPerson } from '../support/signed-in-person.ts'
import { smallBooks } from '../support/small-books.ts'
import { importFile } from '../support/uploads.ts'
import { useTestServer } from '../support/use-test-server.ts'
import type { WebClient } from '../support/web-client.ts'
import { countOwnedBooks } from '../support/count-books.ts'

const server = useTestServer()
let person: Person
let browser: WebClient

beforeAll(async () => {
  const signedIn = await signedInPerson(server)
  const { key } = await createApiKey(server.running.opened.services, signedIn.account.id, {})
  person = { id: signedIn.account.id, email: signedIn.email, key }
  browser = signedIn.browser
})

const live = async (id: string) => (await server.running.opened.services.books.findOwned(person.id, [id])).length === 1
const csrfOf = async () => /name="csrf" value="([^"]+)"/.exec((await browser.get('/library')).text)?.[1] ?? ''
const remove = async (...ids: string[]) => browser.post('/library/delete', { csrf: await csrfOf(), ids })

describe('deleting in the browser', () => {
  test('leads to the library with an undo button, which restores the book', async () => {
    const id = await makeBook(server, person, { title: 'Herons <& co>' })
    const { status, location } = await remove(id)
    expect([status, location]).toEqual([303, `/library?deleted=${id}`])
    expect(await live(id)).toBe(false)
    const page = await browser.get(location ?? '')
    expect(page.text).toMatch(/role="status"[\s\S]*Herons &lt;&amp; co&gt;[\s\S]*was deleted/)
    const undone = await browser.submit(location ?? '', '/library/deleted', {})
    expect([undone.status, undone.location]).toEqual([303, `/library?returned=${id}`])
    expect(await live(id)).toBe(true)
    expect((await browser.get(undone.location ?? '')).text).toMatch(/Herons &lt;&amp; co&gt;<\/cite> is back/)
  })

  test('leads from the page of the book to the bin, only for its owner', async () => {
    const id = await makeBook(server, person, { title: 'Gulls <& co>' })
    await remove(id)
    for (const path of [`/books/${id}`, `/books/${id}/pages/1`, `/books/${id}/find?q=x`]) {
      const { status, text } = await browser.get(path)
      expect(status).toBe(404)
      expect(text).toMatch(/You deleted\s+<cite[^>]*>Gulls &lt;&amp; co&gt;<\/cite>/)
      expect(text).toContain(`href="/library/deleted#book-${id}"`)
    }
    const stranger = await signedInPerson(server)
    const { status, text } = await stranger.browser.get(`/books/${id}`)
    expect(status).toBe(404)
    expect(text).not.toMatch(/Gulls|deleted#/)
    await browser.post('/library/deleted', { csrf: await csrfOf(), action: 'erase', ids: id })
    expect((await browser.get(`/books/${id}`)).text).not.toMatch(/Gulls|deleted#/)
  })

  test('of several books is undone at once', async () => {
    const ids = [await makeBook(server, person), await makeBook(server, person), await makeBook(server, person)]
    const { location } = await remove(...ids)
    expect(location).toBe(`/library?deleted=${ids.join(',')}`)
    expect((await browser.get(location ?? '')).text).toMatch(/3 books were deleted/)
    await browser.submit(location ?? '', '/library/deleted', {})
    for (const id of ids) expect(await live(id)).toBe(true)
  })

  test('of more books than one call accepts deletes them all', { timeout: 60_000 }, async () => {
    const ids = await seedBooks(server, person, { count: 52 })
    await remove(...ids)
    expect((await server.running.opened.services.books.findOwned(person.id, ids)).length).toBe(0)
  })

  test('reports nothing about missing books and books of others', async () => {
    const other = await server.createPerson()
    const id = await makeBook(server, other, { title: 'Foreign book' })
    expect((await remove(id)).location).toBe('/library')
    for (const name of ['deleted', 'returned']) {
      const page = await browser.get(`/library?${name}=${id},nothing,%3Cscript%3E`)
      expect(page.text).not.toMatch(/Foreign book|was deleted|is back|<script>/)
    }
  })

  test('without a selected book changes nothing and says what to do', async () => {
    const page = await remove()
    expect(page.status).toBe(400)
    expect(page.text).toMatch(/Nothing was deleted[\s\S]*Select at least one/)
  })

  test('requires the token of the session', async () => {
    const id = await makeBook(server, person)
    const page = await browser.post('/library/delete', { csrf: 'wrong', ids: id })
    expect(page.status).toBe(403)
    expect(await live(id)).toBe(true)
  })
})

describe('the page of deleted books', () => {
  test('lists them with their erasure dates, and restores one', async () => {
    const id = await makeBook(server, person, { title: 'Bitterns' })
    await remove(id)
    const page = await browser.get('/library/deleted')
    expect(page.text).toContain('Bitterns')
    expect(page.text).toMatch(/Deleted\s+<time[\s\S]*stays until\s+<time/)
    const csrf = await csrfOf()
    const answer = await browser.post('/library/deleted', { csrf, action: 'undelete', ids: id })
    expect(answer.location).toBe(`/library/deleted?returned=${id}`)
    expect((await browser.get(answer.location ?? '')).text).toMatch(
      /Bitterns<\/cite><\/a\s*>\s*is back in your library/,
    )
    expect(await live(id)).toBe(true)
  })

  test('erases one permanently', async () => {
    const id = await makeBook(server, person, { title: 'Storks' })
    await remove(id)
    const answer = await browser.post('/library/deleted', { csrf: await csrfOf(), action: 'erase', ids: id })
    expect(answer.location).toBe('/library/deleted?done=erased')
    expect((await browser.get('/library/deleted?done=erased')).text).not.toContain('Storks')
    expect(await server.running.opened.services.bin.find(person.id, id)).toBeNull()
  })

  test('says why a book cannot be restored, and keeps it', async () => {
    const { services } = server.running.opened
    const id = await makeBook(server, person, { title: 'Cranes' })
    await remove(id)
    await services.accounts.change(person.id, { tier: 'FREE' })
    const extra: string[] = []
    for (let at = (await countOwnedBooks(services.books, person.id)) + 0; at < 20; at++)
      extra.push(await makeBook(server, person))
    const page = await browser.post('/library/deleted', { csrf: await csrfOf(), action: 'undelete', ids: id })
    expect(page.status).toBe(403)
    expect(page.text).toMatch(/role="alert"[\s\S]*library is full[\s\S]*Cranes/)
    await services.accounts.change(person.id, { tier: 'SELF_HOSTED' })
    if (extra.length > 0) await remove(...extra)
  })

  test('requires a sign-in', async () => {
    const response = await fetch(`${server.baseUrl}/library/deleted`, { redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([303, expect.stringContaining('/sign-in')])
  })
})

describe('downloads in the browser', () => {
  const get = (path: string) =>
    fetch(`${server.baseUrl}${path}`, {
      redirect: 'manual',
      headers: { Cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    })

  test('return the original file, an EPUB and a Markdown text as attachments', async () => {
    const bytes = Buffer.from(await smallBooks.epub())
    const { itemId } = await importFile(server, person, { filename: 'whales.epub', bytes })
    const original = await get(`/books/${itemId}/download`)
    expect(original.headers.get('content-disposition')).toBe('attachment; filename="whales.epub"')
    expect(Buffer.from(await original.arrayBuffer()).equals(bytes)).toBe(true)
    const epub = await get(`/books/${itemId}/export?format=epub`)
    expect(epub.headers.get('content-type')).toBe('application/epub+zip')
    expect(
      Buffer.from(await epub.arrayBuffer())
        .subarray(0, 2)
        .toString(),
    ).toBe('PK')
    const markdown = await get(`/books/${itemId}/export?format=markdown`)
    expect(await markdown.text()).toMatch(/^---\ntitle: "/)
  })

  test('explain on a page if there is no file', async () => {
    const id = await makeBook(server, person, { content: 'text' })
    const none = await get(`/books/${id}/download`)
    expect(none.status).toBe(409)
    expect(await none.text()).toContain(`/books/${id}/export?format=markdown`)
    expect((await get(`/books/${id}/export?format=docx`)).status).toBe(400)
    expect((await get('/books/none/download')).status).toBe(404)
    const signedOut = await fetch(`${server.baseUrl}/books/${id}/download`, { redirect: 'manual' })
    expect([signedOut.status, signedOut.headers.get('location')]).toEqual([303, expect.stringContaining('/sign-in')])
  })
})
