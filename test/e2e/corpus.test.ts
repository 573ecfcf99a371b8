import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { epubTitles, normalizeSpaces, pdfOutline, pdfPages, type OutlineEntry } from '../support/book-outlines.ts'
import { startTestServer, type Person, type TestServer } from '../support/server.ts'
import { unwrap, addFile, callOverRest, waitForJobEnd, findListedItem, readPageTexts } from '../support/uploads.ts'

// Real books out of Debian's documentation packages; the continuous integration prepares the folder.
const corpus = process.env['LECTERN_TEST_CORPUS']
const packages = new Set(['developers-reference', 'debian-policy', 'live-manual-epub'])
const books = corpus === undefined ? [] : manifest(corpus)
const pdfs = books.filter((book) => book.endsWith('.pdf'))
const epubs = books.filter((book) => book.endsWith('.epub'))

function manifest(folder: string): string[] {
  const rows = readFileSync(join(folder, 'manifest.tsv'), 'utf8').trim().split('\n')
  return rows.map((row) => row.split('\t')).flatMap(([book = '', from = '']) => (packages.has(from) ? [book] : []))
}

/** The letters and digits of a text, however it is marked up. */
function letters(text = ''): string {
  return text.replaceAll(/[^\p{L}\p{N}]/gu, '')
}

function hasPoppler(): boolean {
  try {
    execFileSync('pdfinfo', ['-v'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

test.skipIf(corpus !== undefined)('the real books are left out: LECTERN_TEST_CORPUS is not set', () => {
  expect(books).toEqual([])
})

describe.skipIf(corpus === undefined)('a real book that is uploaded', () => {
  let server: TestServer
  let person: Person

  beforeAll(async () => {
    server = await startTestServer()
    person = await server.createPerson()
  })
  afterAll(() => server.close())

  async function imported(book: string) {
    const bytes = await readFile(join(corpus ?? '', book))
    const { itemId, jobId } = await addFile(server, person, { filename: basename(book), bytes })
    expect(await waitForJobEnd(server, person, jobId, 100_000)).toMatchObject({ status: 'SUCCEEDED', attempts: 1 })
    const item = await findListedItem(server, person, itemId)
    expect(item).toMatchObject({ status: 'READY' })
    expect(['ok', 'needs_confirmation']).toContain(item?.health)
    const answer = await callOverRest(server, person, 'get_table_of_contents', { ids: [itemId] })
    const [{ toc }] = unwrap<{ items: [{ toc: OutlineEntry[] | null }] }>(answer).items
    return { bytes, item, itemId, toc: (toc ?? []).map((entry) => ({ ...entry, title: normalizeSpaces(entry.title) })) }
  }

  test('are those of the corpus', () => {
    expect(pdfs.length).toBeGreaterThanOrEqual(3)
    expect(epubs.length).toBeGreaterThanOrEqual(12)
  })

  test.skipIf(!hasPoppler()).for(pdfs)('%s has the pages and the outline that poppler finds', async (book) => {
    const path = join(corpus ?? '', book)
    const { item, itemId, toc } = await imported(book)
    const pages = await pdfPages(path)
    expect(item?.pageCount).toBe(pages)
    const outline = await pdfOutline(path)
    const texts = await readPageTexts(server, person, itemId)
    expect(texts).toHaveLength(pages)
    if (outline.length > 0) expect(toc).toEqual(outline)
    // Without an outline the contents are the headings: each stands on its page.
    else expect(toc.filter(({ title, page }) => !letters(texts[page - 1]).includes(letters(title)))).toEqual([])
    expect(toc.length).toBeGreaterThan(10)
    expect(texts.filter((text) => text.trim() !== '').length).toBeGreaterThan(texts.length * 0.9)
  })

  test.for(epubs)('%s has the contents of its navigation', async (book) => {
    const { bytes, item, toc } = await imported(book)
    const titles = await epubTitles(bytes)
    expect(titles.length).toBeGreaterThan(5)
    expect(toc.map(({ title }) => title)).toEqual(titles)
    const pages = toc.map(({ page }) => page)
    expect(pages).toEqual([...pages].sort((a, b) => a - b))
    expect(Math.max(...pages)).toBeLessThanOrEqual(item?.pageCount ?? 0)
  })
})
