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
 * Extensions of unsupported files, and the format to convert each to; the same as in `src/books/unread-formats.ts`.
 */
export const conversions = /** @type {const} */ ({
  '.doc': '.docx or PDF',
  '.docm': '.docx or PDF',
  '.dot': '.docx or PDF',
  '.wps': '.docx or PDF',
  '.wpd': '.docx or PDF',
  '.pages': '.docx or PDF',
  '.ppt': 'PDF',
  '.pptx': 'PDF',
  '.odp': 'PDF',
  '.key': 'PDF',
  '.xls': 'PDF',
  '.xlsx': 'PDF',
  '.ods': 'PDF',
  '.numbers': 'PDF',
  '.djvu': 'PDF',
  '.djv': 'PDF',
  '.chm': 'EPUB',
  '.lit': 'EPUB',
  '.kfx': 'EPUB',
  '.cbr': '.cbz',
  '.cb7': '.cbz',
})

/**
 * Why a file cannot be added according to its name; empty if it can.
 *
 * @param {string} name
 */
export function nameProblem(name) {
  if (typeOfFile(name) !== null) return ''
  const lower = name.trim().toLowerCase()
  const found = Object.entries(conversions).find(([ending]) => lower.endsWith(ending))
  if (!found) return `Only ${takenFiles} files can be added.`
  return `Lectern does not read ${found[0]} files. Save it as ${found[1]}, then add that copy.`
}

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
