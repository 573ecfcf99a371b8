import JSZip from 'jszip'
import { describe, expect, test } from 'vitest'
import { openDocumentNamed } from '../../../src/imports/formats/document/open-document.ts'
import { comicPages } from '../../../src/imports/formats/comic/comic-pages.ts'
import { openCover } from '../../../src/imports/formats/cover/open-cover.ts'
import { defaultLimits, type FormatLimits } from '../../../src/imports/formats/format.ts'
import { photograph } from '../../support/figures.ts'

type Files = Record<string, Uint8Array | string>

async function comic(files: Files): Promise<Buffer> {
  const zip = new JSZip()
  for (const [path, content] of Object.entries(files)) zip.file(path, content)
  return zip.generateAsync({ type: 'nodebuffer', compression: 'DEFLATE' })
}

async function readComic(files: Files, limits: FormatLimits = defaultLimits) {
  const figures: { id: string; width: number }[] = []
  const keepFigure = async (figure: { id: string; width: number }) => void figures.push(figure)
  const book = await openDocumentNamed('cbz')(await comic(files), limits, { keepFigure })
  const pages = []
  for await (const page of book.pages()) pages.push(page)
  return { book, pages, figures, toc: await book.toc() }
}

describe('a comic', () => {
  test('has a page for each picture in name order, with the picture as its figure', async () => {
    const { pages, figures, book } = await readComic({
      'p10.jpg': photograph(3, [130, 130]),
      'p2.jpg': photograph(2, [120, 120]),
      'P1.JPG': photograph(1, [110, 110]),
    })
    expect(figures.map(({ width }) => width)).toEqual([110, 120, 130])
    expect(pages.map(({ content }) => content)).toEqual(figures.map(({ id }) => `![](figure:${id})`))
    expect(pages.every(({ picture }) => picture)).toBe(true)
    expect(book).toMatchObject({ pageCount: 3, hasCover: true })
    expect(book.format).toBeUndefined()
  })

  test('has its pages in the order of the numbers in folders and names', () => {
    const paths = [
      'c 1/1.png',
      'c 1/1-2.png',
      'c 1/1.5.png',
      'c 1/2.png',
      'c 1/10.png',
      'c 1 - extra/1.png',
      'c 1.5/1.png',
      'c 2/1.png',
      'c 10/1.png',
      'cover.png',
    ]
    expect(comicPages(paths.toReversed())).toEqual(paths)
  })

  test('has its folders as table of contents, without system files', async () => {
    const { toc, pages } = await readComic({
      'One/Chapter 10/1.jpg': photograph(4),
      'One/Chapter 2/1.jpg': photograph(2),
      'One/Chapter 2/2.jpg': photograph(3),
      '__MACOSX/One/1.jpg': 'x',
      'One/.hidden.jpg': 'x',
      'One/Thumbs.db': 'x',
    })
    expect(pages).toHaveLength(3)
    expect(toc).toEqual([
      { title: 'Chapter 2', page: 1, level: 1 },
      { title: 'Chapter 10', page: 3, level: 1 },
    ])
  })

  test('has its metadata', async () => {
    const { book } = await readComic({
      '1.jpg': photograph(1),
      'ComicInfo.xml':
        '<?xml version="1.0"?><ComicInfo><Series>Sea</Series><Number>3</Number><Title>Ebb &amp; flood</Title><Writer>Anna Lind</Writer><Publisher>P</Publisher><LanguageISO>sv</LanguageISO></ComicInfo>',
    })
    expect(book.info).toMatchObject({
      title: 'Sea 3: Ebb & flood',
      author: 'Anna Lind',
      publisher: 'P',
      language: 'sv',
    })
    const damaged = await readComic({ '1.jpg': photograph(1), 'ComicInfo.xml': '<ComicInfo><Title>' })
    expect(damaged.pages).toHaveLength(1)
  })

  test('has the metadata and bookmarks of a file in the folder of its pages', async () => {
    const { book, toc } = await readComic({
      'Sea 3/1.jpg': photograph(1),
      'Sea 3/2.jpg': photograph(2),
      'Sea 3/3.jpg': photograph(3),
      'Sea 3/ComicInfo.xml':
        '<ComicInfo><Series>Sea</Series><Penciller>Bo Ek</Penciller><GTIN>978-0-306-40615-7</GTIN><Pages><Page Image="2" Bookmark="Flood"/><Page Image="0" Bookmark="Ebb"/><Page Image="1"/><Page Image="9" Bookmark="None"/></Pages></ComicInfo>',
    })
    expect(book.info).toMatchObject({ title: 'Sea', author: 'Bo Ek', isbn: '9780306406157' })
    expect(toc).toEqual([
      { title: 'Ebb', page: 1, level: 1 },
      { title: 'Flood', page: 3, level: 1 },
    ])
  })

  test('keeps the position of an unreadable picture', async () => {
    const { pages, figures } = await readComic({
      '1.jpg': photograph(1),
      '2.jpg': 'no picture',
      '3.jpg': photograph(3),
    })
    expect(figures).toHaveLength(2)
    expect(pages.map(({ content }) => content === '')).toEqual([false, true, false])
  })

  test('uses its first page as its cover', async () => {
    const cover = await openCover(
      await comic({ 'b.jpg': photograph(2), 'a.jpg': photograph(1, [300, 200]) }),
      defaultLimits,
    )
    expect(await cover.draw(150)).toMatchObject({ width: 150, height: 100 })
  })

  test.for([
    ['without pictures', { 'a.txt': 'x' }, defaultLimits, 'BROKEN'],
    ['of mostly other files', { 'a.jpg': photograph(1), 'a.txt': 'x', 'b.txt': 'x' }, defaultLimits, 'BROKEN'],
    ['of too many pages', { 'a.jpg': 'x', 'b.jpg': 'x' }, { ...defaultLimits, pages: 1 }, 'TOO_LARGE'],
  ] as const)('%s is refused with a reason', async ([, files, limits, code]) => {
    await expect(readComic(files, limits)).rejects.toMatchObject({ code })
  })

  test('unpacks no more than the limit', async () => {
    const zeros = new Uint8Array(1_000_000)
    const { pages } = await readComic(
      { 'a.jpg': zeros, 'b.jpg': zeros, 'c.jpg': photograph(1) },
      { ...defaultLimits, totalBytes: 1_500_000 },
    )
    expect(pages).toHaveLength(3)
  })
})
