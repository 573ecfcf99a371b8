import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readFile, readdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { BookSource, FoundFile } from '../../src/folders/book-source.ts'
import {
  openRemoteCatalogue,
  parseCatalogueAddress,
  type CatalogueOptions,
} from '../../src/folders/remote-catalogue.ts'
import { collect } from '../support/collect.ts'

type Answer = string | ((request: IncomingMessage, response: ServerResponse) => void)

let server: Server
let root: string
/** By path and query. */
let answers: Record<string, Answer>
let asked: { url: string; authorization: string | undefined }[]
const opened: BookSource[] = []

beforeEach(async () => {
  answers = {}
  asked = []
  server = createServer((request, response) => {
    const url = request.url ?? ''
    asked.push({ url, authorization: request.headers.authorization })
    const answer = answers[url]
    if (answer === undefined) response.writeHead(404).end('nothing')
    else if (typeof answer === 'string') response.setHeader('Content-Type', typeOf(answer)).end(answer)
    else answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => {
  for (const source of opened.splice(0)) await source.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const typeOf = (text: string) => (text.startsWith('{') ? 'application/opds+json' : 'application/atom+xml')
const feed = (content: string, id = `urn:feed:${content.length}`) =>
  `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/terms/"
  xmlns:schema="http://schema.org/"><id>${id}</id><title>T</title>${content}</feed>`
const section = (title: string, href: string, rel = 'subsection') =>
  `<entry><id>urn:s:${href}</id><title>${title}</title><link rel="${rel}" href="${href}"
  type="application/atom+xml;profile=opds-catalog;kind=acquisition"/></entry>`
const epubLink = (href: string, rel = 'http://opds-spec.org/acquisition') =>
  `<link rel="${rel}" href="${href}" type="application/epub+zip" length="7"/>`
const book = (id: string, more = epubLink(`/${id}.epub`)) =>
  `<entry><id>urn:b:${id}</id><title>Book ${id}</title>${more}</entry>`
const next = (href: string) => `<link rel="next" href="${href}" type="application/atom+xml"/>`

async function open(path = '/', options: Partial<CatalogueOptions> = {}, address = `${root}${path}`) {
  const signal = AbortSignal.timeout(20_000)
  const source = await openRemoteCatalogue(address, { accountId: 'a', credentials: null, signal, ...options })
  opened.push(source)
  const files: FoundFile[] = await collect(source.files())
  const reasons = source.leftOut.rows().map(({ reason, names }) => [reason, ...names])
  return { source, files, reasons, titles: files.map(({ metadata }) => metadata.title) }
}

test('an entry of OPDS 1.2 yields its best file and its metadata', async () => {
  answers['/'] = feed(`<entry><id>urn:b:1</id><title>On  &lt;b&gt;light&lt;/b&gt;</title>
    <author><name>Ada</name></author><author><name>Bob &amp; Co</name></author>
    <dc:language>en</dc:language><dc:publisher>P</dc:publisher><dc:issued>1999-05-01</dc:issued>
    <dc:identifier>urn:isbn:9780306406157</dc:identifier><dc:identifier>doi:10.1000/1</dc:identifier>
    <category term="x" label="Optics"/><category term="Physics"/>
    <schema:Series schema:name="Waves" schema:position="2"/>
    <content type="html">&lt;p&gt;One &lt;b&gt;two&lt;/b&gt;&lt;script&gt;&lt;/script&gt;&lt;/p&gt;&lt;p&gt;Three&lt;/p&gt;</content>
    <link rel="http://opds-spec.org/acquisition" type="application/pdf" href="/b.pdf"/>
    <link rel="http://opds-spec.org/acquisition/open-access" type="application/epub+zip" href="files/b.epub" length="7"/>
    <link rel="http://opds-spec.org/acquisition/buy" type="text/html" href="/shop"/>
    <link rel="http://opds-spec.org/image/thumbnail" type="image/png" href="/t.png"/>
    <link rel="http://opds-spec.org/image" type="image/png" href="/c.png"/></entry>`)
  answers['/files/b.epub'] = 'content'
  answers['/c.png'] = 'picture'
  const { source, files } = await open()
  expect(files).toMatchObject([
    {
      name: 'On <b>light<-b>.epub',
      bytes: 7,
      shelves: ['Waves', 'Optics', 'Physics'],
      metadata: {
        title: 'On <b>light</b>',
        author: 'Ada, Bob & Co',
        language: 'en',
        publisher: 'P',
        isbn: '9780306406157',
        description:
          'One two\nThree\n\nSeries: Waves, 2\nTags: Optics, Physics\nPublished: 1999-05-01\nIdentifiers: doi:10.1000/1',
      },
    },
  ])
  expect(source.total).toEqual({ files: 1, bytes: 7 })
  expect(source.notKept.rows()).toMatchObject([{ reason: 'further files as PDF' }])
  const [file] = files as [FoundFile]
  await file.remote?.fetch(100)
  expect(await readFile(file.path, 'utf8')).toBe('content')
  expect(Buffer.from((await file.readCover?.()) ?? []).toString()).toBe('picture')
  await source.close()
  await expect(readdir(dirname(file.path))).rejects.toThrow('ENOENT')
})

test('a publication of OPDS 2.0 yields the same', async () => {
  const metadata = {
    title: { en: 'On light', de: 'Licht' },
    identifier: 'urn:uuid:1',
    altIdentifier: ['urn:isbn:9780306406157'],
    author: [{ name: 'Ada' }, 'Bob'],
    language: ['en', 'de'],
    publisher: { name: 'P' },
    description: '<p>One</p><p>Two</p>',
    subject: [{ name: 'Optics', code: 'x' }, 'Physics'],
    belongsTo: { series: [{ name: 'Waves', position: 2.5 }] },
    published: '1999-05-01T00:00:00Z',
    pages: null,
  }
  const links = [
    { rel: ['http://opds-spec.org/acquisition/open-access'], href: 'b.epub', type: 'application/epub+zip', size: 9 },
    { rel: 'http://opds-spec.org/acquisition', href: 'data:,x', type: 'application/epub+zip' },
    { href: 7 },
  ]
  answers['/v2/'] = JSON.stringify({
    metadata: { title: 'T' },
    links: [{ rel: 'next', href: '?page=2' }],
    navigation: [{ title: 'Rare', href: 'rare', rel: 'subsection' }],
    groups: [{ metadata: { title: 'G' }, publications: [{ metadata, links, images: [{ href: 'c.jpg' }] }] }],
  })
  answers['/v2/?page=2'] = JSON.stringify({ publications: [{ metadata: { title: 'Second' }, links: [links[0]] }] })
  answers['/v2/rare'] = JSON.stringify({ publications: [{ metadata, links }, 'x', { metadata: 1 }] })
  const { files } = await open('/v2/')
  expect(files).toMatchObject([
    {
      bytes: 9,
      shelves: ['Waves', 'Optics', 'Physics', 'Rare'],
      metadata: {
        title: 'On light',
        author: 'Ada, Bob',
        publisher: 'P',
        isbn: '9780306406157',
        language: 'en',
        description: 'One\nTwo\n\nSeries: Waves, 2.5\nTags: Optics, Physics\nLanguages: en, de\nPublished: 1999-05-01',
      },
    },
    { shelves: [], metadata: { title: 'Second' } },
  ])
})

test('sections become shelves like folders, except those that only order all books', async () => {
  answers['/'] = feed(
    section('Science', '/science') +
      section('Newest', '/new', 'http://opds-spec.org/sort/new') +
      section('By title', '/title') +
      section('Back', '/', 'start'),
  )
  answers['/science'] = feed(section('Physics', '/physics') + book('1'))
  answers['/physics'] = feed(book('2') + section('Up', '/science'))
  answers['/new'] = feed(book('3') + book('1'))
  answers['/title'] = feed(book('1') + book('2') + next('/title?2'))
  answers['/title?2'] = feed(book('3'))
  const { files } = await open()
  expect(Object.fromEntries(files.map(({ metadata, shelves }) => [metadata.title, shelves]))).toEqual({
    'Book 1': ['Science'],
    'Book 2': ['Science / Physics'],
    'Book 3': [],
  })
})

test('the last book of a series is imported first', async () => {
  const series = (at: number) => `<schema:Series schema:name="S" schema:position="${at}"/>${epubLink(`/${at}.epub`)}`
  answers['/'] = feed(book('a', series(1)) + book('x') + book('b', series(10)) + book('c', series(2)))
  expect((await open()).titles).toEqual(['Book b', 'Book c', 'Book a', 'Book x'])
})

test('a partial entry is completed from its own document', async () => {
  answers['/'] = feed(
    `<entry><id>urn:b:1</id><title>Part</title>
    <link rel="alternate" href="/whole" type="application/atom+xml;type=entry;profile=opds-catalog"/></entry>`,
  )
  answers['/whole'] =
    `<entry xmlns="http://www.w3.org/2005/Atom"><id>urn:b:1</id><title>Whole</title>${epubLink('/1.epub')}</entry>`
  expect((await open()).titles).toEqual(['Whole'])
})

test.for([
  [epubLink('/1', 'http://opds-spec.org/acquisition/buy'), 'only bought, borrowed or sampled'],
  [epubLink('/1', 'http://opds-spec.org/acquisition/sample'), 'only bought, borrowed or sampled'],
  [epubLink('file:///etc/passwd'), 'only bought, borrowed or sampled'],
  [epubLink('/1').replace('epub+zip', 'x-topaz-ebook'), 'books as application/x-topaz-ebook only'],
])('a book with %s only is left out', async ([link, reason]) => {
  answers['/'] = feed(book('1', link) + book('2'))
  const { titles, reasons } = await open()
  expect([titles, reasons]).toEqual([['Book 2'], [[expect.stringContaining(reason as string), 'Book 1']]])
})

describe('a hostile catalogue without end stops', () => {
  const endless = (make: (n: number) => string) => {
    answers = new Proxy(answers, { get: (_, path: string) => make(Number(path.slice(2) || 0)) })
  }

  test('pages that repeat the same books under new URLs', async () => {
    endless((n) => feed(book('1') + next(`/?${n + 1}`)))
    expect((await open()).titles).toEqual(['Book 1'])
    expect(asked.length).toBeLessThanOrEqual(3)
  })

  test('a section that contains itself under new URLs', async () => {
    endless((n) => feed(section('Down', `/?${n + 1}`) + book('1'), 'urn:same'))
    expect((await open()).titles).toEqual(['Book 1'])
    expect(asked.length).toBeLessThanOrEqual(3)
  })

  test('endlessly nested sections', async () => {
    endless((n) => feed(section('Down', `/?${n + 1}`) + book(String(n)), `urn:${n}`))
    const { titles, reasons } = await open('/', { limits: { depth: 4 } })
    expect([titles.length, reasons[0]?.[0]]).toEqual([5, 'sections more than 4 deep'])
  })

  test.for([
    [{ feeds: 5 }, '5 feeds'],
    [{ books: 5 }, '5 books'],
    [{ bytes: 1500 }, '1500 bytes'],
    [{ timeMs: 0 }, '0 minutes'],
  ] as const)('endlessly many new books, at %j', async ([limits, name]) => {
    endless((n) => feed(book(String(n)) + next(`/?${n + 1}`)))
    const { titles, reasons } = await open('/', { limits })
    expect(titles.length).toBeLessThanOrEqual(5)
    expect(reasons).toEqual([
      [`feeds beyond the limits of an import (${name}): name a part of the catalogue with --from`, expect.any(String)],
    ])
  })

  test.for([
    ['no feed', '<html><body>Sign in</body></html>', /neither a feed nor an entry of Atom/],
    ['an entity bomb', '<!DOCTYPE f [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><feed>&b;</feed>', null],
    ['deep nesting', `<feed>${'<a>'.repeat(500)}${'</a>'.repeat(500)}</feed>`, /./],
    ['no JSON', '{"publications": [', /no JSON/],
    ['more than 4 MiB', ' '.repeat(5_000_000), /4,194,304 bytes/],
  ] as const)('%s in a section is reported, and the rest is imported', async ([, text, reason]) => {
    answers['/'] = feed(section('Bad', '/bad') + section('Good', '/good'))
    answers['/bad'] = text
    answers['/good'] = feed(book('1'))
    const { titles, reasons } = await open()
    // Entities are not expanded, so the feed stays small and has no entries.
    expect(reasons).toEqual(reason === null ? [] : [[expect.stringMatching(reason), 'Bad']])
    expect(titles).toEqual(['Book 1'])
  })

  test('a file larger than allowed, declared or not, is not kept', async () => {
    answers['/'] = feed(book('1'))
    answers['/1.epub'] = (_, response) => void response.end(Buffer.alloc(500_000))
    const [file] = (await open()).files as [FoundFile]
    await expect(file.remote?.fetch(1000)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    answers['/1.epub'] = (_, response) => {
      for (let n = 0; n < 50; n++) response.write(Buffer.alloc(10_000))
      response.end()
    }
    await expect(file.remote?.fetch(1000)).rejects.toThrow(/more than 1,000 bytes/)
  })
})

describe('signing in', () => {
  const asks: Answer = (request, response) => {
    const isRight = request.headers.authorization === `Basic ${Buffer.from('ada:p:w/ö').toString('base64')}`
    if (isRight) response.setHeader('Content-Type', 'application/atom+xml').end(feed(book('1')))
    else response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="x"' }).end()
  }
  const credentials = { user: 'ada', password: 'p:w/ö' }

  test('with credentials from the URL or the settings', async () => {
    answers['/'] = asks
    expect((await open('/', { credentials })).titles).toEqual(['Book 1'])
    const address = `${root.replace('://', '://ada:p%3Aw%2F%C3%B6@')}/`
    expect((await open('/', {}, address)).titles).toEqual(['Book 1'])
    expect(parseCatalogueAddress('https://a:b@c.example/x', null)).toEqual({
      url: new URL('https://c.example/x'),
      credentials: { user: 'a', password: 'b' },
    })
  })

  test('without or with wrong credentials is refused with the next step', async () => {
    answers['/'] = asks
    await expect(open()).rejects.toThrow(
      /asks for a user name and a password\. Give --user and --password -, set LECTERN_CATALOGUE_USER/,
    )
    await expect(open('/', { credentials: { user: 'ada', password: 'secret' } })).rejects.toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('secret') }),
    )
    answers['/'] = (_, response) => void response.writeHead(401, { 'WWW-Authenticate': 'Digest realm="x"' }).end()
    await expect(open()).rejects.toThrow(/Calibre does with --auth-mode=basic/)
  })

  test('never sends credentials to another host', async () => {
    const port = new URL(root).port
    answers['/'] = feed(book('1', epubLink(`http://localhost:${port}/1.epub`)) + book('2'))
    answers['/1.epub'] = 'content'
    answers['/2.epub'] = (_, response) =>
      void response.writeHead(302, { Location: `http://localhost:${port}/1.epub` }).end()
    const { files } = await open('/', { credentials, allowsAddress: () => true })
    for (const file of files) await file.remote?.fetch(100)
    const sent = asked.map(({ url, authorization }) => [url, authorization !== undefined])
    expect(sent).toEqual([
      ['/', true],
      ['/1.epub', false],
      ['/2.epub', true],
      ['/1.epub', false],
    ])
  })
})

test('a feed cannot refer to the local network', async () => {
  const port = new URL(root).port
  const inner = [
    `http://localhost:${port}/x`,
    `http://[::1]:${port}/x`,
    'http://169.254.169.254/x',
    'http://10.0.0.1/x',
  ]
  answers['/'] = feed(
    inner.map((address, n) => book(String(n), epubLink(address))).join('') + section('Inner', inner[0] as string),
  )
  answers['/9'] = 'x'
  const { files, reasons } = await open()
  for (const { remote } of files) await expect(remote?.fetch(100)).rejects.toThrow(/public internet/)
  expect(reasons).toEqual([[expect.stringMatching(/public internet/), 'Inner']])
  expect(asked.map(({ url }) => url)).toEqual(['/'])
})

test.for([
  ['/none', /answered with the status 404/],
  ['/text', /is not an OPDS catalogue: neither a feed nor an entry of Atom/],
  ['/loop', /redirects more than 5 times/],
  ['/away', /redirects to no web address/],
] as const)('refuses %s as a catalogue', async ([path, message]) => {
  answers['/text'] = '<html><body>Hello</body></html>'
  answers['/loop'] = (_, response) => void response.writeHead(302, { Location: '/loop' }).end()
  answers['/away'] = (_, response) => void response.writeHead(302, { Location: 'file:///etc/passwd' }).end()
  await expect(open(path)).rejects.toMatchObject({ code: 'INVALID_INPUT', message: expect.stringMatching(message) })
})

test('after ten consecutive downloads have failed, the rest is skipped', async () => {
  answers['/'] = feed(Array.from({ length: 12 }, (_, n) => book(String(n))).join(''))
  const { files } = await open()
  const failures: string[] = []
  for (const { remote } of files) await remote?.fetch(100).catch((error: Error) => failures.push(error.message))
  expect(failures.slice(9)).toEqual([
    expect.stringContaining('404'),
    'not tried, because 10 files before could not be fetched',
    'not tried, because 10 files before could not be fetched',
  ])
})

test('the origin of a book stays the same, whatever else changes in its entry, and differs between accounts', async () => {
  answers['/'] = feed(book('1'))
  const [first] = (await open()).files
  answers['/'] = feed(book('1', epubLink('/other.epub')).replace('Book 1', 'Renamed'))
  expect((await open()).files[0]?.remote?.origin).toBe(first?.remote?.origin)
  expect((await open('/', { accountId: 'b' })).files[0]?.remote?.origin).not.toBe(first?.remote?.origin)
})
