import { beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/core/ids.ts'
import { cleanUpPictures } from '../../src/imports/pictures/clean-up-pictures.ts'
import { pagePicture } from '../../src/web/pages/book/picture.ts'
import type { Manifest } from '../../src/reading/manifest.ts'
import { openVersion } from '../../src/reading/open-version.ts'
import { contextOf } from '../support/context.ts'
import { testJpeg } from '../support/drawing.ts'
import { buildEpub } from '../support/epub.ts'
import { makeBook } from '../support/make-book.ts'
import { writePdf } from '../support/pdf.ts'
import { pictureReader, type PictureReader } from '../support/picture-client.ts'
import { subscribe } from '../support/marketplace.ts'
import { rest } from '../support/transports.ts'
import { importFile } from '../support/uploads.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer()
let owner: PictureReader
let book: string

const text = (words: string) => ({ content: `BT /F1 24 Tf 72 700 Td (${words}) Tj ET` })
const threePages = (title: string) =>
  writePdf({ pages: [text(`${title} one`), text(`${title} two`), text(`${title} three`)], info: `/Title (${title})` })

async function importPdf(person: PictureReader, title: string, bytes = threePages(title)): Promise<string> {
  const { itemId, job } = await importFile(server, person, { filename: `${title}.pdf`, bytes })
  expect(job.status).toBe('SUCCEEDED')
  return itemId
}

async function keptPictures(itemId: string): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of server.running.opened.services.files.list(`pictures/${itemId}/`)) keys.push(key)
  return keys
}

async function eraseBook(itemId: string): Promise<void> {
  await rest.call(server, owner, 'delete_items', { ids: [itemId] })
  const erased = await rest.call(server, owner, 'erase_deleted_item', { itemId })
  if (!erased.ok) throw new Error(erased.text)
}

/** Publishes a book and adds it to the reader's library. */
async function reachBySubscription(itemId: string, reader: PictureReader, terms: object = {}): Promise<void> {
  const { body } = await rest.call(server, owner, 'publish_listing', { itemId, ...terms })
  await subscribe(server, reader, body.listing.id)
}

/** Writes a new text for page 2 of 3 of an imported book, as its next version. */
async function rewriteSecondPage(itemId: string): Promise<void> {
  const { contents, books, now } = server.running.opened.services
  const [stored] = await books.byIds([itemId])
  const version = Number(stored?.version)
  const manifest = await contents.getManifest(itemId, version)
  const [{ revision = '' } = {}] = manifest?.runs ?? []
  const written = newId()
  await contents.writePages(itemId, written, { first: 0, pages: [{ content: 'New words.', label: null }] })
  const runs = [
    { revision, start: 0, count: 1 },
    { revision: written, start: 0, count: 1 },
    { revision, start: 2, count: 1 },
  ]
  const next = {
    ...(manifest as Manifest),
    version: version + 1,
    runs,
    jobId: null,
    reason: 'page',
    createdAt: now(),
    ownBytes: 10,
  }
  expect(await contents.seal(next)).toBe(true)
  await books.change(owner.id, itemId, { version, set: { version: version + 1 }, addStoredBytes: 10 })
}

beforeAll(async () => {
  owner = await pictureReader(server)
  book = await importPdf(owner, 'Whales')
})

describe('the picture of a page', { timeout: 60_000 }, () => {
  test('is shown with a page that has no text, and stands beside other text only on request', async () => {
    const id = await importPdf(owner, 'Partly scanned', writePdf({ pages: [text('Words'), { content: '' }] }))
    const figure = (page: number) => `src="/books/${id}/pages/${page}/picture?v=1&amp;w=600"`
    const toggle = 'Show the picture of the page'
    const written = (await owner.browser.get(`/books/${id}/pages/1`)).text
    expect([written.includes(figure(1)), written.includes(toggle)]).toEqual([false, true])
    const scanned = (await owner.browser.get(`/books/${id}/pages/2`)).text
    expect(scanned).toContain('This page has no text.')
    expect([scanned.includes(figure(2)), scanned.includes('the picture of the page')]).toEqual([true, false])
  })

  test('is a small PNG of the requested width, which is cached privately', async () => {
    const answer = await owner.load(`/books/${book}/pages/1/picture?w=600&v=1`)
    expect([answer.status, answer.picture]).toEqual([200, { mediaType: 'image/png', width: 600, height: 776 }])
    expect(answer.headers.get('content-type')).toBe('image/png')
    expect(answer.bytes.length).toBeLessThan(20_000)
    expect(answer.headers.get('cache-control')).toBe('private, max-age=3600')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'; sandbox")
    const wide = await owner.load(`/books/${book}/pages/2/picture`)
    expect([wide.picture?.width, wide.headers.get('cache-control')]).toEqual([1200, 'private, no-cache'])
    expect(wide.bytes.equals(answer.bytes)).toBe(false)
  })

  test('is drawn once; a client that has it gets 304', async () => {
    const path = `/books/${book}/pages/3/picture?w=600&v=1`
    const first = await owner.load(path)
    const kept = (await keptPictures(book)).filter((key) => key.includes('-p3-'))
    expect(kept).toEqual([expect.stringMatching(/-p3-w600\.png$/)])
    const tag = first.headers.get('etag') ?? ''
    const second = await owner.load(path, { 'If-None-Match': `"other", W/${tag}` })
    expect([second.status, second.bytes.length, second.headers.get('etag')]).toEqual([304, 0, tag])
    expect((await owner.load(path, { 'If-None-Match': '"other"' })).status).toBe(200)
  })

  test('is drawn once for many concurrent requests', async () => {
    const itemId = await importPdf(owner, 'Together')
    const answers = await Promise.all(Array.from({ length: 8 }, () => owner.load(`/books/${itemId}/pages/1/picture`)))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect(new Set(answers.map(({ bytes }) => bytes.toString('base64'))).size).toBe(1)
    expect(await keptPictures(itemId)).toHaveLength(1)
  })

  test.for([
    ['a page that the book does not have', '/pages/4/picture', 404],
    ['a page that is not a number', '/pages/one/picture', 404],
    ['page 0', '/pages/0/picture', 404],
    ['a version that does not exist', '/pages/1/picture?v=7', 404],
    ['a width that is not offered', '/pages/1/picture?w=5000', 400],
  ] as const)('%s has none', async ([, path, status]) => {
    expect((await owner.load(`/books/${book}${path}`)).status).toBe(status)
  })

  test('a book of text has none', async () => {
    const itemId = await makeBook(server, owner)
    expect((await owner.load(`/books/${itemId}/pages/1/picture`)).status).toBe(404)
    expect((await owner.load(`/books/${itemId}/cover`)).status).toBe(404)
  })

  test('strangers see no picture and no cover, not even with an entity tag; visitors are asked to sign in', async () => {
    const stranger = await pictureReader(server)
    for (const path of [`/books/${book}/pages/1/picture?v=1`, `/books/${book}/cover`]) {
      const tag = (await owner.load(path)).headers.get('etag') ?? ''
      expect((await stranger.load(path)).status).toBe(404)
      expect((await stranger.load(path, { 'If-None-Match': tag })).status).toBe(404)
      const visitor = await fetch(server.baseUrl + path, { redirect: 'manual' })
      expect([visitor.status, visitor.headers.get('location')]).toEqual([
        303,
        expect.stringContaining('/sign-in?next='),
      ])
    }
  })

  test('that cannot be drawn is a placeholder with a message, and drawing is tried once', async () => {
    const itemId = await importPdf(owner, 'Broken')
    const { files, books } = server.running.opened.services
    const [stored] = await books.byIds([itemId])
    const storageKey = String(stored?.original?.storageKey)
    await files.delete(storageKey)
    const junk = Buffer.alloc(Number(stored?.original?.bytes), 'x')
    await files.put(
      storageKey,
      (async function* () {
        yield junk
      })(),
      { contentType: 'application/pdf', maxBytes: 1e9 },
    )
    const answer = await owner.load(`/books/${itemId}/pages/1/picture`, { Accept: 'image/*' })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'image/svg+xml'])
    expect(answer.bytes.toString()).toContain('This page cannot be shown as a picture.')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const page = await owner.load(`/books/${itemId}/pages/1/picture`, { Accept: 'text/html' })
    expect([page.status, page.bytes.toString()]).toEqual([404, expect.stringContaining('cannot be shown as a picture')])
    expect((await owner.load(`/books/${itemId}/cover`)).status).toBe(404)
    expect((await books.byIds([itemId]))[0]?.cover).toBe('none')
    await files.delete(storageKey)
    // The file is not read again.
    expect((await owner.load(`/books/${itemId}/pages/1/picture`)).status).toBe(404)
    expect((await owner.load(`/books/${itemId}/pages/2/picture`)).status).toBe(404)
    // The checks at the end compare stored files with uploaded ones.
    await eraseBook(itemId)
  })
})

describe('queued pictures', { timeout: 60_000 }, () => {
  test('delay only the account that requests many; another gets its own at once', async () => {
    const other = await pictureReader(server)
    const theirs = (await importFile(server, other, { filename: 'theirs.pdf', bytes: threePages('Theirs') })).itemId
    const { places } = server.running.opened.services.pictures
    const release = await places.take(owner.id)
    let isDone = false
    const waiting = owner.load(`/books/${book}/pages/2/picture?w=600`).finally(() => (isDone = true))
    expect((await other.load(`/books/${theirs}/pages/1/picture?w=600`)).status).toBe(200)
    expect(isDone).toBe(false)
    release?.()
    expect((await waiting).status).toBe(200)
  })

  test('are refused beyond the limit; cached ones are not', async () => {
    const { places } = server.running.opened.services.pictures
    const leave = new AbortController()
    const held = await places.take(owner.id)
    const line = Array.from({ length: 64 }, () => places.take(owner.id, leave.signal).catch(() => null))
    try {
      const refused = await owner.load(`/books/${book}/pages/3/picture?w=1200`)
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2'])
      expect((await owner.load(`/books/${book}/pages/1/picture?w=600`)).status).toBe(200)
    } finally {
      leave.abort()
      held?.()
      for (const each of line) (await each)?.()
    }
  })
})

describe('a reader of a book', { timeout: 60_000 }, () => {
  test('of another account sees the pictures of readable pages, and of a preview no more', async () => {
    const reader = await pictureReader(server, { plan: 'FREE' })
    const pages = Array.from({ length: 8 }, (_, at) => text(`Page ${at + 1}`))
    const itemId = await importPdf(owner, 'Previewed', writePdf({ pages }))
    await reachBySubscription(itemId, reader, { proOnly: true })
    const { previewPages } = (await contextOf(server, reader)).actor.plan
    expect(previewPages).toBeLessThan(8)
    expect((await reader.load(`/books/${itemId}/pages/${previewPages}/picture?w=600`)).status).toBe(200)
    expect((await reader.load(`/books/${itemId}/pages/${Number(previewPages) + 1}/picture?w=600`)).status).toBe(403)
    expect((await reader.load(`/books/${itemId}/cover`)).status).toBe(200)
  })

  test('does not see in a picture what the owner has rewritten; the owner does, as a page of the original file', async () => {
    const reader = await pictureReader(server)
    const itemId = await importPdf(owner, 'Rewritten')
    await rewriteSecondPage(itemId)
    await reachBySubscription(itemId, reader)
    const path = (page: number, version: number) => `/books/${itemId}/pages/${page}/picture?v=${version}&w=600`
    const seen = async (person: PictureReader) =>
      Promise.all(
        [path(1, 2), path(2, 2), path(3, 2), path(2, 1)].map(async (each) => (await person.load(each)).status),
      )
    expect(await seen(reader)).toEqual([200, 404, 200, 404])
    expect(await seen(owner)).toEqual([200, 200, 200, 200])
    const viewOf = async (person: PictureReader) => openVersion(await contextOf(server, person), itemId)
    const [own, read] = [await viewOf(owner), await viewOf(reader)]
    expect(pagePicture({ ...own, pageNum: 2 })).toEqual({
      narrow: `/books/${itemId}/pages/2/picture?v=2&w=600`,
      wide: `/books/${itemId}/pages/2/picture?v=2&w=1200`,
      filePage: 2,
      exact: false,
    })
    expect(pagePicture({ ...own, pageNum: 3 })).toMatchObject({ filePage: 3, exact: true })
    expect([1, 2, 3].map((pageNum) => pagePicture({ ...read, pageNum }) !== null)).toEqual([true, false, true])
  })

  test('whose cover page was rewritten does not see the former cover', async () => {
    const reader = await pictureReader(server)
    const itemId = await importPdf(owner, 'New front')
    const { contents, books, now } = server.running.opened.services
    const manifest = (await contents.getManifest(itemId, 1)) as Manifest
    const [{ revision = '' } = {}] = manifest.runs
    const written = newId()
    await contents.writePages(itemId, written, { first: 0, pages: [{ content: 'New front.', label: null }] })
    const runs = [
      { revision: written, start: 0, count: 1 },
      { revision, start: 1, count: 2 },
    ]
    await contents.seal({ ...manifest, version: 2, runs, jobId: null, reason: 'page', createdAt: now(), ownBytes: 10 })
    await books.change(owner.id, itemId, { version: 1, set: { version: 2 }, addStoredBytes: 10 })
    await reachBySubscription(itemId, reader)
    expect((await reader.load(`/books/${itemId}/cover`)).status).toBe(404)
    expect((await owner.load(`/books/${itemId}/cover`)).status).toBe(200)
    expect((await books.byIds([itemId]))[0]?.cover).toBe('file')
  })
})

describe('a cover', { timeout: 60_000 }, () => {
  const coverItem = '<item id="cov" href="cover.jpg" media-type="image/jpeg" properties="cover-image"/>'
  const importEpub = async (title: string, parts: Parameters<typeof buildEpub>[0]) => {
    const bytes = await buildEpub({ metadata: `<dc:title>${title}</dc:title>`, ...parts })
    return (await importFile(server, owner, { filename: `${title}.epub`, bytes })).itemId
  }
  const coverField = async (itemId: string) => (await server.running.opened.services.books.byIds([itemId]))[0]?.cover

  test('of a PDF is its first page, small', async () => {
    expect(await coverField(book)).toBe('file')
    const { status, picture, headers } = await owner.load(`/books/${book}/cover`)
    expect([status, picture?.width]).toEqual([200, 320])
    expect(headers.get('cache-control')).toBe('private, max-age=600')
  })

  test('of an EPUB is the one that it declares', async () => {
    const itemId = await importEpub('Painted', {
      manifest: coverItem,
      files: { 'OEBPS/cover.jpg': testJpeg(640, 960) },
    })
    expect(await coverField(itemId)).toBe('file')
    const { picture } = await owner.load(`/books/${itemId}/cover`)
    expect(picture).toEqual({ mediaType: 'image/jpeg', width: 320, height: 480 })
    expect((await owner.load(`/books/${itemId}/pages/1/picture`)).status).toBe(404)
  })

  test('that is declared but invalid is recorded as missing at the first request', async () => {
    const script = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    const itemId = await importEpub('Scripted', { manifest: coverItem, files: { 'OEBPS/cover.jpg': script } })
    expect((await owner.load(`/books/${itemId}/cover`)).status).toBe(404)
    expect(await coverField(itemId)).toBe('none')
  })

  test('that an EPUB does not declare is recorded as missing at the import', async () => {
    const itemId = await importEpub('Plain', {})
    expect(await coverField(itemId)).toBe('none')
    expect((await owner.load(`/books/${itemId}/cover`)).status).toBe(404)
  })

  test('of a book from before covers were recorded is determined at the first request', async () => {
    const itemId = await importEpub('Old', { manifest: coverItem, files: { 'OEBPS/cover.jpg': testJpeg(64, 96) } })
    const rows = server.running.opened.database.db.collection<{ _id: string }>('books')
    await rows.updateOne({ _id: itemId }, { $unset: { cover: '' } })
    expect(await coverField(itemId)).toBeUndefined()
    expect((await owner.load(`/books/${itemId}/cover`)).status).toBe(200)
    expect(await coverField(itemId)).toBe('file')
  })
})

test('the pictures of a book are removed with it, and leftovers with the next cleanup', async () => {
  const itemId = await importPdf(owner, 'Short-lived')
  await owner.load(`/books/${itemId}/cover`)
  expect(await keptPictures(itemId)).toHaveLength(1)
  await eraseBook(itemId)
  expect(await keptPictures(itemId)).toEqual([])
  const { services } = server.running.opened
  const name = { itemId, storageKey: 'x', page: 1, width: 320 }
  await services.pictures.store.keep(name, { mediaType: 'image/png', bytes: Buffer.from('late') })
  await owner.load(`/books/${book}/cover`)
  await cleanUpPictures(services)
  expect(await keptPictures(itemId)).toEqual([])
  expect((await keptPictures(book)).length).toBeGreaterThan(0)
}, 60_000)
