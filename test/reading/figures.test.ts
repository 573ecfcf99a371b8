import JSZip from 'jszip'
import { beforeAll, describe, expect, test } from 'vitest'
import { cleanUp } from '../../src/maintenance/sweep.ts'
import { figureOwner } from '../../src/reading/figure-files.ts'
import { createLog } from '../../src/app/log.ts'
import { newId } from '../../src/core/ids.ts'
import { runChecks } from '../../src/admin/doctor/run-checks.ts'
import { photograph } from '../support/figures.ts'
import { figureKeys, importIllustrated, type IllustratedBook } from '../support/illustrated-book.ts'
import { buildEpub } from '../support/epub.ts'
import type { Person } from '../support/server.ts'
import { rest } from '../support/transports.ts'
import { findListedItem, importFile, waitForJobEnd } from '../support/uploads.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer()
let owner: Person
let book: IllustratedBook

const call = async (tool: string, input: Record<string, unknown>) => {
  const answer = await rest.call(server, owner, tool, input)
  if (!answer.ok) throw new Error(`${tool}: ${answer.text}`)
  return answer.body
}
const services = () => server.running.opened.services
const storedBook = async (itemId: string) => {
  const [stored] = await services().books.byIds([itemId])
  if (!stored) throw new Error('the book is gone')
  return stored
}
const manifestOf = async (itemId: string) => {
  const manifest = await services().contents.getManifest(itemId, (await storedBook(itemId)).version)
  if (!manifest) throw new Error('the book has no text')
  return manifest
}
const maintenance = () => ({ ...services(), log: createLog('silent') })

async function reprocess(itemId: string): Promise<void> {
  const { job } = await call('reprocess_item', { itemId })
  expect(await waitForJobEnd(server, owner, job.id)).toMatchObject({ status: 'SUCCEEDED' })
}

/** Changes the text of the first page, which makes a new version. */
async function rewriteFirstPage(itemId: string, content: string): Promise<void> {
  const { contents, books, now } = services()
  const manifest = await manifestOf(itemId)
  const [{ revision = '', count = 0 } = {}] = manifest.runs
  const written = newId()
  await contents.writePages(itemId, written, { first: 0, pages: [{ content, label: null }] })
  const runs = [
    { revision: written, start: 0, count: 1 },
    { revision, start: 1, count: count - 1 },
  ]
  const next = { ...manifest, version: manifest.version + 1, runs, jobId: null, reason: 'page', createdAt: now() }
  const ownBytes = Buffer.byteLength(content)
  expect(await contents.seal({ ...next, ownBytes })).toBe(true)
  await books.change(owner.id, itemId, {
    version: manifest.version,
    set: { version: next.version },
    addStoredBytes: ownBytes,
  })
}

beforeAll(async () => {
  owner = await server.createPerson()
  book = await importIllustrated(server, owner)
})

describe('the figures of a book', () => {
  test('are files of the book and count towards its storage', async () => {
    const keys = await figureKeys(server, book.itemId)
    expect(keys.map((key) => key.split('/').at(-1))).toEqual(
      [`${book.boat.id}.jpg`, `${book.squares.id}.png`].toSorted(),
    )
    let bytes = 0
    for (const key of keys) bytes += Number((await services().files.head(key))?.bytes)
    const manifest = await manifestOf(book.itemId)
    expect(manifest.figures).toEqual({ revision: figureOwner(keys[0] ?? '').revision, count: 2, bytes })
    expect(manifest.ownBytes).toBeGreaterThan(bytes)
    const { storedBytes, original } = await storedBook(book.itemId)
    expect(storedBytes).toBe(Number(original?.bytes) + Number(manifest.ownBytes))
  })

  test('do not change if the same file is imported again: no version, nothing stored twice', async () => {
    const before = await figureKeys(server, book.itemId)
    await reprocess(book.itemId)
    expect((await storedBook(book.itemId)).version).toBe(1)
    expect(await figureKeys(server, book.itemId)).toEqual(before)
  })

  test('are not words: not in the count, not in a quotation, not in search results', async () => {
    const text = 'Whales swim before the figure. Herons wait behind it. Fig. 2: Squares Second page. Page 3.'
    expect((await manifestOf(book.itemId)).words).toBe(text.split(' ').length)
    const { citations } = await call('check_citations', {
      citations: [{ itemId: book.itemId, page: 1, quote: 'before the figure. Herons wait behind it.' }],
    })
    expect(citations[0]).toMatchObject({ found: true })
    const { items } = await call('search_items', { query: book.boat.id })
    expect(items.map(({ id }: { id: string }) => id)).not.toContain(book.itemId)
    const found = await call('search_items', { query: 'grand boat' })
    expect(found.items.map(({ id }: { id: string }) => id)).toContain(book.itemId)
  })

  test('move to the bin with the book, and stay while it can be restored', async () => {
    const { itemId } = await importIllustrated(server, owner, { title: 'Deleted' })
    await call('delete_items', { ids: [itemId] })
    expect(await figureKeys(server, itemId)).toHaveLength(2)
    await call('undelete_item', { itemId })
    expect((await call('read_items', { items: [{ id: itemId, pages: '1' }] })).items[0].pages[0].content).toContain(
      '](figure:',
    )
    await call('delete_items', { ids: [itemId] })
    await call('erase_deleted_item', { itemId })
    expect(await figureKeys(server, itemId)).toEqual([])
  })

  test('stay with the versions that show them, and are removed with the last of these', async () => {
    const { itemId, boat, squares } = await importIllustrated(server, owner, { title: 'Versions' })
    await rewriteFirstPage(itemId, 'No picture here any more.')
    expect(await figureKeys(server, itemId)).toHaveLength(2)
    await call('purge_item_version', { itemId, version: 1, confirm: true })
    expect((await figureKeys(server, itemId)).map((key) => key.split('/').at(-1))).toEqual([`${squares.id}.png`])
    expect((await rest.call(server, owner, 'get_figure', { itemId, page: 1, figure: boat.id })).status).toBe(404)
    expect((await rest.call(server, owner, 'get_figure', { itemId, page: 2, figure: squares.id })).status).toBe(200)
  })

  test('that were stored after a book was erased are removed by the cleanup', async () => {
    const { contents, now } = services()
    await contents.figures.keep('0mgone', '0mjob-1', {
      id: book.boat.id,
      mediaType: 'image/jpeg',
      bytes: photograph(1),
    })
    await cleanUp({ ...maintenance(), now: () => new Date(now().getTime() + 2 * 24 * 60 * 60_000) })
    expect(await figureKeys(server, '0mgone')).toEqual([])
    expect(await figureKeys(server, book.itemId)).toHaveLength(2)
  })

  test('are checked by the doctor: none may be missing, none may be orphaned', async () => {
    const { itemId, boat } = await importIllustrated(server, owner, { title: 'Sick' })
    const key = (await figureKeys(server, itemId)).find((each) => each.includes(boat.id)) ?? ''
    await services().files.delete(key)
    const { contents, now } = services()
    await contents.figures.keep(itemId, '0mother-1', { id: boat.id, mediaType: 'image/jpeg', bytes: photograph(1) })
    const later = { ...services(), now: () => new Date(now().getTime() + 2 * 24 * 60 * 60_000) }
    const { checks } = await runChecks({ db: server.running.opened.database.db, services: later, deep: false })
    const detail = (name: string) => checks.find((check) => check.name === name)
    expect(detail('figures')).toMatchObject({
      ok: false,
      detail: expect.stringContaining(`1 figures are missing: ${boat.id}`),
    })
    expect(detail('files')).toMatchObject({ ok: false, detail: expect.stringContaining('0mother-1') })
    await call('delete_items', { ids: [itemId] })
    await call('erase_deleted_item', { itemId })
  })
})

describe('a book without usable text', () => {
  test.for([
    ['pictures without words', '<img src="a.jpg"/>', 'empty'],
    ['pictures with words', '<img src="a.jpg" alt="A whale in the sea"/>', 'ok'],
  ] as const)('of %s has the same health as without figures', async ([name, body, health]) => {
    const chapters = { 'a.xhtml': body, 'b.xhtml': body.replace('a.jpg', 'b.jpg') }
    const bytes = await buildEpub({
      metadata: `<dc:title>Only ${name}</dc:title>`,
      chapters,
      files: { 'OEBPS/a.jpg': photograph(1), 'OEBPS/b.jpg': photograph(2) },
    })
    const { itemId } = await importFile(server, owner, { filename: 'pictures.epub', bytes })
    expect(await findListedItem(server, owner, itemId)).toMatchObject({ health, pageCount: 2 })
    expect(await figureKeys(server, itemId)).toHaveLength(2)
  })
})

describe('an exported book', () => {
  const download = async (itemId: string, format: string) => {
    const headers = { Authorization: `Bearer ${owner.key}` }
    const response = await fetch(`${server.baseUrl}/api/v1/items/${itemId}/export?format=${format}`, { headers })
    return Buffer.from(await response.arrayBuffer())
  }

  test('as an EPUB contains the figures of its text, and our importer finds them again', async () => {
    const { itemId, boat, squares } = await importIllustrated(server, owner, { title: 'Exported', chapters: 4 })
    await rewriteFirstPage(itemId, 'No picture here any more.')
    const bytes = await download(itemId, 'epub')
    const zip = await JSZip.loadAsync(bytes)
    expect(Object.keys(zip.files).filter((name) => name.includes('figures'))).toEqual([
      `EPUB/figures/${squares.id}.png`,
    ])
    const opf = await zip.file('EPUB/book.opf')?.async('string')
    expect(opf).toContain(`href="figures/${squares.id}.png" media-type="image/png"`)
    expect(opf).not.toContain(boat.id)
    const again = await importFile(server, owner, { filename: 'again.epub', bytes })
    expect(await figureKeys(server, again.itemId)).toHaveLength(1)
  })

  test('as Markdown contains their captions instead', async () => {
    const text = (await download(book.itemId, 'markdown')).toString()
    expect(text).toContain('\n\n[Image: A grand boat]\n\n')
    expect(text).not.toContain('figure:')
  })
})
