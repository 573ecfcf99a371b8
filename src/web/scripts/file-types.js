// @ts-check
/**
 * Extensions of supported files, with the media type that each is sent with; the same as in
 * `src/books/file-formats.ts`.
 */
export const fileTypes = /** @type {const} */ ({
  '.pdf': 'application/pdf',
  '.epub': 'application/epub+zip',
  '.md': 'text/markdown',
  '.markdown': 'text/markdown',
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.odt': 'application/vnd.oasis.opendocument.text',
  '.rtf': 'application/rtf',
  '.fb2': 'application/x-fictionbook+xml',
  '.fb2.zip': 'application/x-fictionbook+xml',
  '.fbz': 'application/x-fictionbook+xml',
  '.mobi': 'application/x-mobipocket-ebook',
  '.prc': 'application/x-mobipocket-ebook',
  '.azw3': 'application/vnd.amazon.mobi8-ebook',
  '.azw': 'application/vnd.amazon.mobi8-ebook',
  '.cbz': 'application/vnd.comicbook+zip',
  '.html': 'text/html',
  '.htm': 'text/html',
  '.xhtml': 'text/html',
  '.mhtml': 'text/html',
  '.mht': 'text/html',
  '.txt': 'text/plain',
})

/** The supported files, in words. */
export const takenFiles =
  'PDF, EPUB, Markdown, Word, OpenDocument, RTF, FictionBook, MOBI, AZW3, CBZ, HTML and plain text'

/**
 * The media type of a file by its name; null if the format is not supported.
 *
 * @param {string} name
 * @returns {string | null}
 */
export function typeOfFile(name) {
  const lower = name.toLowerCase()
  return Object.entries(fileTypes).find(([ending]) => lower.endsWith(ending))?.[1] ?? null
}
