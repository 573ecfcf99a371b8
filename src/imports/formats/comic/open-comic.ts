import { attribute, child, children, parseXml, textOf, type XmlElement } from '../epub/xml.ts'
import { makeFigure } from '../epub/make-figure.ts'
import { collectFigures, type KeepFigure } from '../figures.ts'
import { FormatError, type BookInfo, type BookReader, type FormatLimits, type TocEntry } from '../format.ts'
import type { Archive } from '../zip/open-zip.ts'
import { comicPages, readComicPicture } from './comic-pages.ts'

const infoFile = 'comicinfo.xml'
const maxFieldLength = 2_000

/**
 * Opens a comic archive (CBZ): each picture becomes a page that has the picture as its figure and no text. The table of
 * contents lists the bookmarks of `ComicInfo.xml`, otherwise the folders, if there are several. Throws `TOO_LARGE` if there are more pictures than a book may have
 * pages.
 */
export async function openComic(
  archive: Archive,
  limits: FormatLimits,
  keep: KeepFigure | undefined,
): Promise<BookReader> {
  const paths = comicPages(archive.paths)
  if (paths.length > limits.pages) throw new FormatError('TOO_LARGE', `more than ${limits.pages} pages`)
  const root = await readRoot(archive)
  const figures = keep ? collectFigures(keep) : null
  let remaining = limits.totalBytes
  let rest: readonly string[] = paths
  const make = async (path: string) => {
    const bytes = await readComicPicture(archive, path, remaining)
    remaining -= bytes.length
    return makeFigure(bytes)
  }
  return {
    info: readInfo(root),
    pageCount: paths.length,
    hasCover: true,
    async *pages() {
      for (const path of rest) {
        const content = (await figures?.textFor({ source: path, caption: '' }, () => make(path))) ?? ''
        yield { content, label: null, picture: true, garbled: 0 }
      }
    },
    toc: async () => {
      const bookmarks = bookmarksOf(root, paths.length)
      return bookmarks.length > 0 ? bookmarks : foldersOf(paths)
    },
    close: async () => {
      rest = []
    },
  }
}

/** The folders of the pages with their first pages; empty for a comic in one folder. */
function foldersOf(paths: readonly string[]): TocEntry[] {
  const entries: TocEntry[] = []
  let last: string | null = null
  for (const [at, path] of paths.entries()) {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    const title = folder.slice(folder.lastIndexOf('/') + 1).trim()
    if (folder !== last && title !== '') entries.push({ title: title.toWellFormed(), page: at + 1, level: 1 })
    last = folder
  }
  return entries.length > 1 ? entries : []
}

/** The bookmarks of pages; empty if there are none. */
function bookmarksOf(root: XmlElement | undefined, pageCount: number): TocEntry[] {
  const entries = children(child(root, 'Pages'), 'Page').flatMap((page) => {
    const title = attribute(page, 'Bookmark')
    const number = Number(attribute(page, 'Image') ?? Number.NaN) + 1
    const isPage = Number.isInteger(number) && number >= 1 && number <= pageCount
    return title === null || !isPage ? [] : [{ title: title.toWellFormed(), page: number, level: 1 }]
  })
  return entries.toSorted((one, other) => one.page - other.page)
}

/** The metadata of `ComicInfo.xml` (ComicInfo 2.1); empty if it is missing or damaged. */
function readInfo(root: XmlElement | undefined): BookInfo {
  const field = (name: string) =>
    textOf(child(root, name)).replaceAll(/\s+/g, ' ').trim().slice(0, maxFieldLength).toWellFormed() || null
  const [series, number, title] = [field('Series'), field('Number'), field('Title')]
  const issue = series && [series, number].filter(Boolean).join(' ')
  const code = field('GTIN')?.replaceAll(/[\s-]/g, '') ?? ''
  return {
    title: issue && title && issue !== title ? `${issue}: ${title}` : (title ?? issue),
    author: field('Writer') ?? field('Penciller'),
    language: field('LanguageISO'),
    publisher: field('Publisher'),
    isbn: /^97[89]\d{10}$/.test(code) ? code : null,
    description: field('Summary'),
  }
}

/** The root element of `ComicInfo.xml`, which can be in the folder of the pages; undefined if it is missing or damaged. */
async function readRoot(archive: Archive): Promise<XmlElement | undefined> {
  const path = archive.paths.find((name) => name.slice(name.lastIndexOf('/') + 1).toLowerCase() === infoFile)
  if (path === undefined) return undefined
  try {
    return child(parseXml(await archive.read(path), path), 'ComicInfo')
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}
