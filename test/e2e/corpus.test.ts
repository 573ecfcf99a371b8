import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { epubTitles, normalizeSpaces, pdfOutline, pdfPages, type OutlineEntry } from '../support/book-outlines.ts'
import { writeMadeBooks } from '../support/made-books.ts'
import { startTestServer, type Person, type TestServer } from '../support/server.ts'
import { popplerNeed, testWith } from '../support/system-needs.ts'
import { unwrap, addFile, callOverRest, waitForJobEnd, findListedItem, readPageTexts } from '../support/uploads.ts'

/**
 * Real books from Debian's documentation packages. `.ci/run` prepares the folder; without it, only generated books are
 * read.
 */
const corpus = process.env['LECTERN_TEST_CORPUS']
const packages = new Set(['developers-reference', 'debian-policy', 'live-manual-epub'])
const made = await writeMadeBooks()
const books = [...made.files, ...(corpus === undefined ? [] : manifest(corpus))]
const pdfs = books.filter((book) => book.endsWith('.pdf'))
const epubs = books.filter((book) => book.endsWith('.epub'))

function manifest(folder: string): string[] {
  const rows = readFileSync(join(folder, 'manifest.tsv'), 'utf8').trim().split('\n')
  const listed = rows.map((row) => row.split('\t'))
  return listed.flatMap(([book = '', from = '']) => (packages.has(from) ? [join(folder, book)] : []))
}

/** Books with their titles in test names. */
const withNames = (paths: readonly string[]) => paths.map((path) => [basename(path), path] as const)

/** Returns the letters and digits of a text, without its markup. */
function letters(text = ''): string {
  return text.replaceAll(/[^\p{L}\p{N}]/gu, '')
}

describe('a real book that is uploaded', () => {
  let server: TestServer
  let person: Person

  beforeAll(async () => {
    server = await startTestServer()
    person = await server.createPerson()
  })
  afterAll(async () => {
    await server.close()
    await made.remove()
  })

  async function imported(book: string) {
    const bytes = await readFile(book)
    const { itemId, jobId } = await addFile(server, person, { filename: basename(book), bytes })
    expect(await waitForJobEnd(server, person, jobId, 100_000)).toMatchObject({ status: 'SUCCEEDED', attempts: 1 })
    const item = await findListedItem(server, person, itemId)
    expect(item).toMatchObject({ status: 'READY' })
    expect(['ok', 'needs_confirmation']).toContain(item?.health)
    const answer = await callOverRest(server, person, 'get_table_of_contents', { ids: [itemId] })
    const [{ toc }] = unwrap<{ items: [{ toc: OutlineEntry[] | null }] }>(answer).items
    return { bytes, item, itemId, toc: (toc ?? []).map((entry) => ({ ...entry, title: normalizeSpaces(entry.title) })) }
  }

  if (corpus !== undefined) {
    test('are the books of the corpus', () => {
      expect(pdfs.length).toBeGreaterThanOrEqual(5)
      expect(epubs.length).toBeGreaterThanOrEqual(14)
    })
  }

  testWith(popplerNeed).for(withNames(pdfs))(
    '%s has the pages and the outline that poppler reports',
    async ([, path]) => {
      const { item, itemId, toc } = await imported(path)
      const pages = await pdfPages(path)
      expect(item?.pageCount).toBe(pages)
      const outline = await pdfOutline(path)
      const texts = await readPageTexts(server, person, itemId)
      expect(texts).toHaveLength(pages)
      if (outline.length > 0) expect(toc).toEqual(outline)
      // Without an outline, the table of contents lists the headings with their pages.
      else expect(toc.filter(({ title, page }) => !letters(texts[page - 1]).includes(letters(title)))).toEqual([])
      expect(toc.length).toBeGreaterThan(10)
      expect(texts.filter((text) => text.trim() !== '').length).toBeGreaterThan(texts.length * 0.9)
    },
  )

  test.for(withNames(epubs))('%s has the table of contents of its navigation', async ([, book]) => {
    const { bytes, item, toc } = await imported(book)
    const titles = await epubTitles(bytes)
    expect(titles.length).toBeGreaterThan(5)
    expect(toc.map(({ title }) => title)).toEqual(titles)
    const pages = toc.map(({ page }) => page)
    expect(pages).toEqual([...pages].sort((a, b) => a - b))
    expect(Math.max(...pages)).toBeLessThanOrEqual(item?.pageCount ?? 0)
  })
})
