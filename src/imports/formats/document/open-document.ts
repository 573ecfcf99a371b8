import type { FileFormat } from '../../../books/file-formats.ts'
import type { BookReader, FormatLimits, OpenBook, OpenOptions } from '../format.ts'
import { FormatError } from '../format.ts'
import { signatureOf } from '../match-format.ts'
import { comicPages } from '../comic/comic-pages.ts'
import { openZip, type Archive } from '../zip/open-zip.ts'

/** The document formats; the content decides, whatever the file name says. */
export type DocumentFormat = Exclude<FileFormat, 'pdf' | 'epub' | 'markdown'>

/** Maximum text size inside an office file, in bytes: a book of 2,000 pages needs a third of it. */
const maxDocumentBytes = 64 * 1024 * 1024

/** The module that reads a document, by what the document is. */
const readers = {
  rtf: () => import('./rtf/open-rtf.ts'),
  kindle: () => import('../kindle/open-kindle.ts'),
  fb2: () => import('./fb2/open-fb2.ts'),
  html: () => import('./html/open-html.ts'),
  text: () => import('./text/open-text.ts'),
  epub: () => import('../epub/open-epub.ts'),
  docx: () => import('./docx/open-docx.ts'),
  odt: () => import('./odt/open-odt.ts'),
  comic: () => import('../comic/open-comic.ts'),
}

const readerOf: Readonly<Record<DocumentFormat, keyof typeof readers>> = {
  text: 'text',
  html: 'html',
  fb2: 'fb2',
  docx: 'docx',
  odt: 'odt',
  rtf: 'rtf',
  mobi: 'kindle',
  azw3: 'kindle',
  cbz: 'comic',
}

/** Loads the module that reads the documents of a format. */
export async function loadDocumentReader(format: DocumentFormat): Promise<void> {
  await readers[readerOf[format]]()
}

interface Recognised {
  format: FileFormat
  book: BookReader
}

/**
 * Opens a document by its content: by its signature or archive entries; only plain text is recognised by its name.
 * Throws `UNREAD_OFFICE` for other office files, and `BROKEN` if it is not a document.
 */
export function openDocumentNamed(named: DocumentFormat): OpenBook {
  return async (bytes, limits, options) => {
    const entryBytes = Math.max(limits.entryBytes, Math.min(maxDocumentBytes, limits.totalBytes))
    const { format, book } = await openRecognised({ bytes, named, options }, { ...limits, entryBytes })
    const { info, pageCount, hasCover = false } = book
    return {
      ...(format === named ? {} : { format }),
      info,
      pageCount,
      hasCover,
      get hasFormulas() {
        return book.hasFormulas ?? false
      },
      pages: () => book.pages(),
      toc: () => book.toc(),
      close: () => book.close(),
    }
  }
}

interface OpenedFile {
  bytes: Uint8Array
  named: DocumentFormat
  options: OpenOptions | undefined
}

async function openRecognised({ bytes, named, options }: OpenedFile, limits: FormatLimits): Promise<Recognised> {
  const signature = signatureOf(bytes)
  if (signature === 'zip') return openArchive(bytes, limits, options)
  if (signature === 'rtf') {
    return { format: 'rtf', book: await (await readers.rtf()).openRtf(bytes, limits, options) }
  }
  if (signature === 'kindle') return (await readers.kindle()).openKindle(bytes, limits, options?.keepFigure)
  if (signature === 'fb2') {
    return { format: 'fb2', book: await (await readers.fb2()).openFb2(bytes, limits, options) }
  }
  if (signature === 'html' || signature === 'mhtml' || (signature === 'text' && named === 'html')) {
    return { format: 'html', book: await (await readers.html()).openHtml(bytes, limits, options) }
  }
  if (signature === 'text' && named === 'text') {
    return { format: 'text', book: await (await readers.text()).openText(bytes, limits) }
  }
  throw new FormatError('BROKEN', `a file of the kind ${signature}, named as ${named}`)
}

async function openArchive(
  bytes: Uint8Array,
  limits: FormatLimits,
  options: OpenOptions | undefined,
): Promise<Recognised> {
  const archive = openZip(bytes, limits)
  if (archive.paths.includes('META-INF/container.xml')) {
    return { format: 'epub', book: await (await readers.epub()).openEpub(bytes, limits, options) }
  }
  const hasWordParts = archive.paths.some((path) => path.startsWith('word/'))
  const docxText = hasWordParts ? await (await readers.docx()).findDocxText(archive) : null
  if (docxText !== null) {
    return {
      format: 'docx',
      book: await (
        await readers.docx()
      ).openDocx(archive, docxText, {
        limits,
        keep: options?.keepFigure,
        openPage: async (page) => (await readers.html()).openHtml(page, limits, options),
      }),
    }
  }
  if (await isOtherOfficeFile(archive)) throw new FormatError('UNREAD_OFFICE', 'an office file without a document')
  if (archive.paths.includes('content.xml')) {
    return { format: 'odt', book: await (await readers.odt()).openOdt(archive, limits, options?.keepFigure) }
  }
  const books = archive.paths.filter((path) => /\.fb2$/i.test(path))
  const [first] = books
  if (books.length === 0 && comicPages(archive.paths).length > 0) {
    return {
      format: 'cbz',
      book: await (await readers.comic()).openComic(archive, limits, options?.keepFigure),
    }
  }
  if (books.length !== 1 || first === undefined) throw new FormatError('BROKEN', 'an archive without a document')
  return {
    format: 'fb2',
    book: await (await readers.fb2()).openFb2(await archive.read(first), limits, options),
  }
}

/** True for presentations and spreadsheets of Office Open XML, and for all of OpenDocument that are not texts. */
async function isOtherOfficeFile(archive: Archive): Promise<boolean> {
  const { paths } = archive
  if (paths.includes('[Content_Types].xml') && paths.some((path) => /^(?:ppt|xl|visio)\//.test(path))) return true
  if (!paths.includes('mimetype')) return false
  const type = Buffer.from(await archive.read('mimetype')).toString('latin1')
  return /^application\/vnd\.oasis\.opendocument\.(?!text)/.test(type)
}
