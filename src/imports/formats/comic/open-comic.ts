import { child, parseXml, textOf, type XmlElement } from '../epub/xml.ts'
import { makeFigure } from '../epub/make-figure.ts'
import { collectFigures, type KeepFigure } from '../figures.ts'
import { FormatError, type BookInfo, type BookReader, type FormatLimits, type TocEntry } from '../format.ts'
import type { Archive } from '../zip/open-zip.ts'
import { comicPages, readComicPicture } from './comic-pages.ts'

const infoFile = 'ComicInfo.xml'
const maxFieldLength = 2_000

/**
 * Opens a comic archive (CBZ): each picture becomes a page that has the picture as its figure and no text. The table of
 * contents lists the folders, if there are several. Throws `TOO_LARGE` if there are more pictures than a book may have
 * pages.
 */
export async function openComic(
  archive: Archive,
  limits: FormatLimits,
  keep: KeepFigure | undefined,
): Promise<BookReader> {
  const paths = comicPages(archive.paths)
  if (paths.length > limits.pages) throw new FormatError('TOO_LARGE', `more than ${limits.pages} pages`)
  const info = await readInfo(archive)
  const figures = keep ? collectFigures(keep) : null
  let remaining = limits.totalBytes
  let rest: readonly string[] = paths
  const make = async (path: string) => {
    const bytes = await readComicPicture(archive, path, remaining)
    remaining -= bytes.length
    return makeFigure(bytes)
  }
  return {
    info,
    pageCount: paths.length,
    hasCover: true,
    async *pages() {
      for (const path of rest) {
        const content = (await figures?.textFor({ source: path, caption: '' }, () => make(path))) ?? ''
        yield { content, label: null, picture: true, garbled: 0 }
      }
    },
    toc: async () => foldersOf(paths),
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

/** Reads `ComicInfo.xml` (ComicInfo 2.0); empty if it is missing or damaged. */
async function readInfo(archive: Archive): Promise<BookInfo> {
  const path = archive.paths.find((name) => name.toLowerCase() === infoFile.toLowerCase())
  const root = path === undefined ? undefined : await readRoot(archive, path)
  const field = (name: string) =>
    textOf(child(root, name)).replaceAll(/\s+/g, ' ').trim().slice(0, maxFieldLength).toWellFormed() || null
  const [series, number, title] = [field('Series'), field('Number'), field('Title')]
  const issue = series && [series, number].filter(Boolean).join(' ')
  return {
    title: issue && title && issue !== title ? `${issue}: ${title}` : (title ?? issue),
    author: field('Writer'),
    language: field('LanguageISO'),
    publisher: field('Publisher'),
    isbn: null,
    description: field('Summary'),
  }
}

async function readRoot(archive: Archive, path: string): Promise<XmlElement | undefined> {
  try {
    return child(parseXml(await archive.read(path), path), 'ComicInfo')
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}
