import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { beforeAll, describe, expect, test } from 'vitest'
import { makeBook, markdownPages } from '../support/make-book.ts'
import { publishBook, subscribe } from '../support/marketplace.ts'
import type { Person } from '../support/server.ts'
import { smallBooks } from '../support/small-books.ts'
import { createTeamClient } from '../support/team-client.ts'
import { rest } from '../support/transports.ts'
import { importFile } from '../support/uploads.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer()
const hostile = 'A <b>tale</b> & "more" ]]> \u0007\u{1F40B} &amp;'
/** Titles are stored without control characters. */
const storedTitle = hostile.replace('\u0007', '')

let person: Person
let epub: { itemId: string; bytes: Buffer }
let written: string

const basic = (key: string) => `Basic ${Buffer.from(`somebody@lectern.example:${key}`).toString('base64')}`

interface Sender {
  who?: Person | null
  headers?: Record<string, string>
}

function get(path: string, { who = person, headers = {} }: Sender = {}) {
  const address = path.startsWith('http') ? path : `${server.baseUrl}${path}`
  const credential: Record<string, string> = who === null ? {} : { Authorization: basic(who.key) }
  return fetch(address, { headers: { ...credential, ...headers } })
}

const call = async (who: Person, tool: string, input: Record<string, unknown>) => {
  const answer = await rest.call(server, who, tool, input)
  if (!answer.ok) throw new Error(answer.text)
  return answer.body
}

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  trimValues: true,
  htmlEntities: true,
  isArray: (name) => ['entry', 'link', 'category'].includes(name),
})

interface AtomLink {
  rel: string
  href: string
  type?: string
  title?: string
  length?: string
}
interface AtomEntry {
  id: string
  title: string
  updated: string
  link: AtomLink[]
  author?: { name: string }
  summary?: { '#text': string }
  category?: { term: string }[]
}
interface AtomFeed {
  id: string
  title: string
  link: AtomLink[]
  entry?: AtomEntry[]
}

async function atom(path: string, who = person): Promise<AtomFeed> {
  const response = await get(path, { who })
  const text = await response.text()
  expect(response.status, text).toBe(200)
  expect(response.headers.get('content-type')).toMatch(
    /^application\/atom\+xml;profile=opds-catalog;kind=(navigation|acquisition); charset=utf-8$/,
  )
  expect(XMLValidator.validate(text)).toBe(true)
  return parser.parse(text).feed
}

async function json(path: string, who = person): Promise<any> {
  const response = await get(path, { who })
  expect(response.headers.get('content-type')).toBe('application/opds+json; charset=utf-8')
  return response.json()
}

const linkOf = ({ link }: { link: AtomLink[] }, rel: string) => link.find((each) => each.rel === rel)
const acquisitions = ({ link }: AtomEntry) => link.filter(({ rel }) => rel === 'http://opds-spec.org/acquisition')
const entryOf = ({ entry = [] }: AtomFeed, id: string) => entry.find((each) => each.id === `urn:lectern:${id}`)

beforeAll(async () => {
  person = await server.createPerson({ plan: 'PRO' })
  const bytes = Buffer.from(await smallBooks.epub())
  const { itemId } = await importFile(server, person, { filename: 'tales.epub', bytes })
  epub = { itemId, bytes }
  written = await makeBook(server, person, { title: 'Written here', content: '# One\n\nwhales\n' })
  await call(person, 'enrich_item', { itemId, title: hostile, author: 'Ada & <Bob>', description: hostile })
  const { id: shelf } = await call(person, 'create_shelf', { name: 'Sea & sky' })
  await call(person, 'add_to_shelf', { shelf, itemIds: [itemId] })
})

test('a reading app browses from the root to the bytes of a file, over OPDS 1.2', async () => {
  const root = await atom('/opds')
  expect(linkOf(root, 'self')?.href).toBe(`${server.baseUrl}/opds`)
  const newest = root.entry?.find(({ link }) => link[0]?.rel === 'http://opds-spec.org/sort/new')
  const feed = await atom(newest?.link[0]?.href ?? '')
  const entry = entryOf(feed, epub.itemId) as AtomEntry
  expect(entry.title).toBe(storedTitle)
  // A character that XML forbids is omitted.
  expect(entry.summary?.['#text']).toBe(hostile.replace('\u0007', ''))
  expect(entry.author).toEqual({ name: 'Ada & <Bob>' })
  expect(entry.category).toEqual([{ term: 'Sea & sky', label: 'Sea & sky' }])
  const [original, ...more] = acquisitions(entry)
  expect(original).toMatchObject({ type: 'application/epub+zip', length: String(epub.bytes.length) })
  expect(more).toEqual([])
  const file = await get(original?.href ?? '')
  expect(file.headers.get('content-type')).toBe('application/epub+zip')
  expect(Buffer.from(await file.arrayBuffer()).equals(epub.bytes)).toBe(true)
  const [exported] = acquisitions(entryOf(feed, written) as AtomEntry)
  const made = await get(exported?.href ?? '')
  expect(made.headers.get('content-type')).toBe('application/epub+zip')
  expect(
    Buffer.from(await made.arrayBuffer())
      .subarray(0, 2)
      .toString(),
  ).toBe('PK')
})

test('a reading app browses from the root to the bytes of a file, over OPDS 2.0', async () => {
  const root = await json('/opds/v2')
  expect(root.metadata.title).toBe('Lectern')
  const { href } = root.navigation.find(({ rel }: AtomLink) => rel === 'http://opds-spec.org/sort/new')
  const { publications } = await json(href)
  const found = publications.find(({ metadata }: any) => metadata.identifier === `urn:lectern:${epub.itemId}`)
  expect(found.metadata).toMatchObject({
    '@type': 'http://schema.org/Book',
    title: storedTitle,
    author: 'Ada & <Bob>',
    subject: ['Sea & sky'],
  })
  const link = found.links.find(({ rel }: AtomLink) => rel === 'http://opds-spec.org/acquisition')
  expect(link).toMatchObject({ type: 'application/epub+zip', size: epub.bytes.length })
  expect(Buffer.from(await (await get(link.href)).arrayBuffer()).equals(epub.bytes)).toBe(true)
})

test.for(['/opds', '/opds/v2'])('%s is paged without duplicates or omissions', async (root) => {
  const reader = await server.createPerson({ plan: 'PRO' })
  const ids = new Set<string>()
  for (let n = 0; n < 55; n += 1) ids.add(`urn:lectern:${await makeBook(server, reader, { title: `Book ${n}` })}`)
  for (const sort of ['added', 'title', 'author', 'read']) {
    const seen: string[] = []
    let next: string | undefined = `${root}/books?sort=${sort}`
    let pages = 0
    while (next) {
      pages += 1
      const links: AtomLink[] = []
      if (root === '/opds') {
        const feed = await atom(next, reader)
        seen.push(...(feed.entry ?? []).map(({ id }) => id))
        links.push(...feed.link)
      } else {
        const feed = await json(next, reader)
        seen.push(...feed.publications.map(({ metadata }: any) => metadata.identifier))
        links.push(...feed.links)
      }
      expect(links.find(({ rel }) => rel === 'first')?.href).toBe(`${server.baseUrl}${root}/books?sort=${sort}`)
      next = links.find(({ rel }) => rel === 'next')?.href
    }
    expect([pages, seen.length, new Set(seen)]).toEqual([2, 55, ids])
  }
})

test('searches with the URL template', async () => {
  const description = await get('/opds/search.xml', { who: null })
  expect(description.headers.get('content-type')).toBe('application/opensearchdescription+xml')
  const { template, type } = parser.parse(await description.text()).OpenSearchDescription.Url
  expect(type).toMatch(/kind=acquisition$/)
  expect(linkOf(await atom('/opds'), 'search')?.href).toBe(`${server.baseUrl}/opds/search.xml`)
  const found = await atom(template.replace('{searchTerms}', encodeURIComponent('whales')))
  expect(found.entry?.map(({ id }) => id)).toContain(`urn:lectern:${written}`)
  expect((await atom(template.replace('{searchTerms}', 'zzzzqqq'))).entry ?? []).toEqual([])
  expect((await atom(template.replace('{searchTerms}', ''))).entry ?? []).toEqual([])
  const { links } = await json('/opds/v2')
  const search = links.find(({ rel }: AtomLink) => rel === 'search')
  expect(search).toMatchObject({ templated: true, href: `${server.baseUrl}/opds/v2/search{?query}` })
  const { publications } = await json(search.href.replace('{?query}', '?query=whales'))
  expect(publications.map(({ metadata }: any) => metadata.identifier)).toContain(`urn:lectern:${written}`)
})

test('lists shelves and their books', async () => {
  const shelves = await atom('/opds/shelves')
  expect(shelves.entry?.map(({ title }) => title)).toEqual(['Sea & sky'])
  const shelf = await atom(shelves.entry?.[0]?.link[0]?.href ?? '')
  expect(shelf.entry?.map(({ id }) => id)).toEqual([`urn:lectern:${epub.itemId}`])
  expect((await get('/opds/shelves/none')).status).toBe(404)
})

test('the list of all books has facets for its order and for shelves, with counts', async () => {
  const feed = await atom('/opds/books?sort=title')
  const facets = feed.link.filter(({ rel }) => rel === 'http://opds-spec.org/facet') as (AtomLink &
    Record<string, string>)[]
  expect(facets.map((facet) => [facet['opds:facetGroup'], facet.title, facet['opds:activeFacet'] ?? ''])).toEqual([
    ['Order', 'Recently read', ''],
    ['Order', 'Recently added', ''],
    ['Order', 'Title', 'true'],
    ['Order', 'Author', ''],
    ['Shelf', 'All books', 'true'],
    ['Shelf', 'Sea & sky', ''],
  ])
  expect(facets.map((facet) => facet['thr:count'])).toEqual([...Array(4).fill(undefined), '2', '1'])
  const shelf = await atom(facets.at(-1)?.href ?? '')
  expect(shelf.entry?.map(({ id }) => id)).toEqual([`urn:lectern:${epub.itemId}`])
  const active = (shelf.link as (AtomLink & Record<string, string>)[]).filter((link) => link['opds:activeFacet'])
  expect(active.map(({ title }) => title)).toEqual(['Title', 'Sea & sky'])
  // The order changes within the shelf, and does not apply without it.
  expect(active[0]?.href).toBe(`${server.baseUrl}/opds/books?sort=title&shelf=sea-sky`)
})

test('without a shelf that has books, the only facets are orders', async () => {
  const who = await server.createPerson()
  await call(who, 'create_shelf', { name: 'Empty' })
  const { facets } = (await (await get('/opds/v2/books', { who })).json()) as any
  expect(facets.map(({ metadata }: any) => metadata.title)).toEqual(['Order'])
})

test('the list of all books has the same facets over OPDS 2.0; other lists have none', async () => {
  const { facets } = await json('/opds/v2/books?sort=added&shelf=sea-sky')
  expect(facets.map(({ metadata }: any) => metadata.title)).toEqual(['Order', 'Shelf'])
  const [, { links }] = facets
  expect(links).toEqual([
    expect.objectContaining({ title: 'All books', properties: { numberOfItems: 2 } }),
    {
      title: 'Sea & sky',
      href: `${server.baseUrl}/opds/v2/books?sort=added&shelf=sea-sky`,
      type: 'application/opds+json',
      rel: 'self',
      properties: { numberOfItems: 1 },
    },
  ])
  const { publications } = await json(links[1].href)
  expect(publications.map(({ metadata }: any) => metadata.identifier)).toEqual([`urn:lectern:${epub.itemId}`])
  expect((await json('/opds/v2/shelves/sea-sky')).facets).toBeUndefined()
})

describe('signing in', () => {
  test.for(['/opds', '/opds/v2', '/opds/books', '/opds/search?q=x', '/opds/books/any/file', '/opds/books/any/cover'])(
    '%s tells a caller without a key how to send one',
    async (path) => {
      for (const headers of [{}, { Authorization: basic('wrong') }, { Authorization: 'Basic !' }] as Record<
        string,
        string
      >[]) {
        const response = await get(path, { who: null, headers })
        expect(response.status).toBe(401)
        expect(response.headers.get('www-authenticate')).toBe('Basic realm="Lectern", charset="UTF-8"')
        expect(response.headers.get('content-type')).toBe('application/opds-authentication+json')
        expect(await response.json()).toMatchObject({
          id: `${server.baseUrl}/opds/authentication.json`,
          authentication: [{ type: 'http://opds-spec.org/auth/basic' }],
        })
      }
    },
  )

  test('the authentication document is public', async () => {
    const response = await get('/opds/authentication.json', { who: null })
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([200, null])
  })

  test('a Bearer token, and a key as the user name, are accepted, too', async () => {
    const asUser = `Basic ${Buffer.from(`${person.key}:`).toString('base64')}`
    for (const Authorization of [`Bearer ${person.key}`, asUser]) {
      expect((await get('/opds', { who: null, headers: { Authorization } })).status).toBe(200)
    }
  })

  test('a key needs the reading scope', async () => {
    const few = await server.createPerson({ scopes: ['marketplace:read'] })
    for (const path of ['/opds', `/opds/books/${epub.itemId}/file`, `/opds/books/${epub.itemId}/cover`])
      expect((await get(path, { who: few })).status).toBe(403)
  })
})

test('an unchanged feed is not sent again', async () => {
  const etag = (await get('/opds/books')).headers.get('etag') ?? ''
  expect((await get('/opds/books', { headers: { 'If-None-Match': etag } })).status).toBe(304)
  await makeBook(server, person)
  expect((await get('/opds/books', { headers: { 'If-None-Match': etag } })).status).toBe(200)
})

test('feeds count in the rate bucket of searches', async () => {
  const hasty = await server.createPerson()
  const { rateLimiter } = server.running.opened.services
  for (let n = 0; n < 300; n += 1) await rateLimiter.consume(hasty.id, 'searches')
  const response = await get('/opds', { who: hasty })
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)])
})

test.for([
  ['an unknown order', '/opds/books?sort=size', 400],
  ['an unknown shelf', '/opds/books?shelf=none', 404],
  ['an unknown cursor', '/opds/books?after=x', 400],
  ['an unknown address', '/opds/nothing', 404],
] as const)('refuses %s', async ([, path, status]) => {
  expect((await get(path)).status).toBe(status)
})

describe('books of others', () => {
  test('have their original file only while the text is unchanged, like the download', async () => {
    const team = createTeamClient(server)
    const owner = await server.createPerson({ plan: 'PRO' })
    const { itemId } = await importFile(server, owner, { filename: 'knots.md', bytes: Buffer.from(markdownPages(3)) })
    const teamId = await team.createTeam(owner)
    await team.addMember(teamId, person)
    await team.shareItem(teamId, owner, itemId)
    const types = async () =>
      acquisitions(entryOf(await atom('/opds/books'), itemId) as AtomEntry).map(({ type }) => type)
    expect(await types()).toEqual(['text/markdown', 'application/epub+zip'])
    expect((await get(`/opds/books/${itemId}/file`)).status).toBe(200)
    await call(owner, 'put_item_page', { id: itemId, pageNum: 2, content: '# Page 2\n\nnothing secret\n' })
    expect(await types()).toEqual(['application/epub+zip'])
    expect((await get(`/opds/books/${itemId}/file`)).status).toBe(403)
  })

  test('are previews if the plan has previews, and cannot be downloaded', async () => {
    const owner = await server.createPerson({ plan: 'PRO' })
    const free = await server.createPerson({ plan: 'FREE' })
    const { itemId, listingId } = await publishBook(server, owner, { terms: { proOnly: true } })
    await subscribe(server, free, listingId)
    await server.running.opened.services.books.change(owner.id, itemId, { set: { freeUntil: null } })
    const entry = entryOf(await atom('/opds/books', free), itemId) as AtomEntry
    expect(acquisitions(entry)).toEqual([])
    expect(linkOf(entry, 'http://opds-spec.org/acquisition/sample')).toMatchObject({
      href: `${server.baseUrl}/books/${itemId}`,
      type: 'text/html',
    })
    for (const below of ['file', 'epub'])
      expect((await get(`/opds/books/${itemId}/${below}`, { who: free })).status).toBe(403)
  })

  test('that the caller has no access to appear in no feed and have no file and no cover', async () => {
    const stranger = await server.createPerson()
    expect((await atom('/opds/books', stranger)).entry ?? []).toEqual([])
    expect((await atom('/opds/search?q=whales', stranger)).entry ?? []).toEqual([])
    for (const below of ['file', 'epub', 'cover'])
      expect((await get(`/opds/books/${epub.itemId}/${below}`, { who: stranger })).status).toBe(404)
  })
})
