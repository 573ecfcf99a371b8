import { mkdir, mkdtemp, readdir, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { FoundFile } from '../../src/folders/book-source.ts'
import { openBookSource } from '../../src/folders/open-book-source.ts'
import { collect } from '../support/collect.ts'
import { makeCalibreLibrary, openCatalogueAsCalibre, type CalibreBook } from '../support/calibre.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lectern-calibre-test-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const text = Buffer.from('# One')

async function readLibrary(books: readonly CalibreBook[], customColumns: readonly string[] = []) {
  await makeCalibreLibrary(folder, books, customColumns)
  const source = await openBookSource(folder)
  const files: FoundFile[] = await collect(source.files())
  await source.close()
  return {
    files,
    leftOut: source.leftOut.rows().map(({ reason, names }) => [reason, ...names]),
    notKept: source.notKept.rows().map(({ reason, names }) => [reason, ...names]),
  }
}

test('a book has the metadata of the catalogue; series and tags become shelves', async () => {
  const { files } = await readLibrary([
    {
      title: 'Foundation and Empire',
      authors: ['Asimov, Isaac', 'Jane Doe'],
      series: ['Foundation', 2.5],
      tags: ['Space opera', 'Classics'],
      languages: ['deu', 'eng'],
      publisher: 'Gnome Press',
      comments: '<div><p>The <b>Mule</b> &amp; others.</p><p>Second.</p></div>',
      identifiers: { isbn: '9780553293371', doi: '10.1000/182' },
      pubdate: '1952-06-01 00:00:00+00:00',
      files: { EPUB: text },
    },
  ])
  expect(files).toMatchObject([
    {
      name: 'Asimov, Isaac/Foundation and Empire (1)/Foundation and Empire - Asimov, Isaac.epub',
      bytes: 5,
      shelves: ['Foundation', 'Classics', 'Space opera'],
    },
  ])
  expect(files[0]?.metadata).toEqual({
    title: 'Foundation and Empire',
    author: 'Asimov, Isaac, Jane Doe',
    publisher: 'Gnome Press',
    isbn: '9780553293371',
    language: 'de',
    description:
      'The Mule & others.\nSecond.\n\nSeries: Foundation, 2.5\nTags: Classics, Space opera\nLanguages: de, en\nPublished: 1952-06-01\nIdentifiers: doi:10.1000/182',
  })
})

test('missing metadata is taken from the file', async () => {
  const { files } = await readLibrary([
    { title: 'Plain', authors: ['Unknown'], languages: ['und'], files: { TXT: text } },
  ])
  expect(files).toMatchObject([{ shelves: [], metadata: { title: 'Plain' } }])
  expect(Object.keys(files[0]?.metadata ?? {})).toEqual(['title'])
})

test('of several formats the most preferred one is imported, and the others are reported', async () => {
  const { files, leftOut, notKept } = await readLibrary(
    [
      { title: 'Both', authors: ['A'], rating: 8, files: { PDF: text, EPUB: text, MOBI: text } },
      { title: 'Printed', authors: ['A'], files: { TXT: text, PDF: text } },
      { title: 'Kindle', authors: ['A'], files: { AZW3: text, MOBI: text } },
      { title: 'Other', authors: ['A'], files: { KFX: text, DJVU: text } },
      { title: 'Nothing', authors: ['A'], files: {} },
    ],
    ['read'],
  )
  expect(files.map(({ name }) => name)).toEqual([
    'A/Both (1)/Both - A.epub',
    'A/Printed (2)/Printed - A.pdf',
    'A/Kindle (3)/Kindle - A.azw3',
  ])
  expect(leftOut).toEqual([
    ['books as DJVU, KFX only: convert them to EPUB with Calibre', 'Other'],
    ['books without a file', 'Nothing'],
  ])
  expect(notKept).toEqual([
    ['further files as MOBI', 'Both', 'Kindle'],
    ['columns of your own', '#read'],
    ['further files as PDF', 'Both'],
    ['ratings', 'Both'],
    ['further files as TXT', 'Printed'],
  ])
})

test('the last book of a series is imported first, because a shelf lists the newest first', async () => {
  const { files } = await readLibrary([
    { title: 'Alone', authors: ['A'], files: { MD: text } },
    { title: 'One', authors: ['A'], series: ['S', 1], files: { MD: text } },
    { title: 'Ten', authors: ['A'], series: ['S', 10], files: { MD: text } },
    { title: 'Two', authors: ['A'], series: ['S', 2], files: { MD: text } },
  ])
  expect(files.map(({ metadata }) => metadata.title)).toEqual(['Ten', 'Two', 'One', 'Alone'])
})

test('long comments are truncated with a report, and the facts after them are kept', async () => {
  const { files, notKept } = await readLibrary([
    { title: 'Long', authors: ['A'], tags: ['T'], comments: `<p>${'word '.repeat(2000)}</p>`, files: { MD: text } },
  ])
  const description = files[0]?.metadata.description ?? ''
  expect(description.length).toBeLessThanOrEqual(4000)
  expect(description.length).toBeGreaterThan(3900)
  expect(description).toMatch(/word…\n\nTags: T$/)
  expect(notKept).toEqual([['descriptions beyond 4,000 characters', 'Long']])
})

test('a missing file, and one outside the library, are left out', async () => {
  await makeCalibreLibrary(folder, [
    { title: 'Gone', authors: ['A'], files: { MD: text } },
    { title: 'Out', authors: ['A'], files: { MD: text } },
    { title: 'Up', authors: ['A'], files: { MD: text } },
  ])
  await rm(join(folder, 'A', 'Gone (1)', 'Gone - A.md'))
  await rm(join(folder, 'A', 'Out (2)', 'Out - A.md'))
  await symlink('/etc/hostname', join(folder, 'A', 'Out (2)', 'Out - A.md'))
  const database = openCatalogueAsCalibre(folder)
  database.exec(
    "UPDATE books SET path = '../../etc' WHERE title = 'Up'; UPDATE data SET name = 'hostname' WHERE book = 3",
  )
  database.close()
  const source = await openBookSource(folder)
  expect(source.leftOut.rows()).toMatchObject([
    { count: 3, reason: 'files that the catalogue names but that do not exist' },
  ])
  await source.close()
})

test('a library is only read: a running Calibre may hold its catalogue, and nothing is written to it', async () => {
  await makeCalibreLibrary(folder, [{ title: 'A', authors: ['B'], files: { MD: text } }])
  const calibre = openCatalogueAsCalibre(folder)
  calibre.exec("PRAGMA journal_mode = WAL; UPDATE books SET title = 'Renamed'; BEGIN IMMEDIATE")
  const before = await readdir(folder)
  const source = await openBookSource(folder)
  expect(await collect(source.files())).toMatchObject([{ metadata: { title: 'Renamed' } }])
  await source.close()
  expect(await readdir(folder)).toEqual(before)
  calibre.close()
})

test('a damaged catalogue and another schema are refused with the next step', async () => {
  const file = join(folder, 'metadata.db')
  await writeFile(file, 'not a database')
  await expect(openBookSource(folder)).rejects.toThrow(/is damaged: it is not an SQLite file.*Restore database/)
  await rm(file)
  await makeCalibreLibrary(folder, [{ title: 'A', authors: ['B'], files: { MD: text } }])
  await truncate(file, 10_000)
  await expect(openBookSource(folder)).rejects.toThrow(/cannot be read \(.*Restore database/)
  await rm(file)
  const other = new DatabaseSync(file)
  other.exec('CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT)')
  other.close()
  await expect(openBookSource(folder)).rejects.toThrow(
    /is not a catalogue of Calibre that Lectern knows: it has no column "path" in its table "books"/,
  )
  await mkdir(join(folder, 'sub'))
  const empty = new DatabaseSync(join(folder, 'sub', 'metadata.db'))
  empty.exec('CREATE TABLE other (id)')
  empty.close()
  await expect(openBookSource(join(folder, 'sub'))).rejects.toThrow(/it has no table "books"/)
})
