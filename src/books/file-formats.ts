/** The kind of a book, in the terms of the contract. */
export type SourceType = 'pdf' | 'epub' | 'markdown'

/**
 * The format of a file. Files other than `pdf` and `markdown` are reflowable text with the source type `epub`, except
 * comics.
 */
export type FileFormat = SourceType | 'text' | 'html' | 'fb2' | 'docx' | 'odt' | 'rtf' | 'mobi' | 'azw3' | 'cbz'

interface FormatFacts {
  /** Display name. */
  name: string
  sourceType: SourceType
  /** File name extensions, the usual one first. */
  extensions: readonly string[]
  /** The media types with which a file may be declared, its own first. */
  contentTypes: readonly string[]
}

/** The supported formats, in the order in which they are listed to people. */
export const fileFormats: Readonly<Record<FileFormat, FormatFacts>> = {
  pdf: { name: 'PDF', sourceType: 'pdf', extensions: ['.pdf'], contentTypes: ['application/pdf'] },
  epub: { name: 'EPUB', sourceType: 'epub', extensions: ['.epub'], contentTypes: ['application/epub+zip'] },
  markdown: {
    name: 'Markdown',
    sourceType: 'markdown',
    extensions: ['.md', '.markdown'],
    contentTypes: ['text/markdown', 'text/plain'],
  },
  docx: {
    name: 'Word',
    sourceType: 'epub',
    extensions: ['.docx'],
    contentTypes: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  },
  odt: {
    name: 'OpenDocument',
    sourceType: 'epub',
    extensions: ['.odt'],
    contentTypes: ['application/vnd.oasis.opendocument.text'],
  },
  rtf: {
    name: 'RTF',
    sourceType: 'epub',
    extensions: ['.rtf'],
    contentTypes: ['application/rtf', 'text/rtf'],
  },
  fb2: {
    name: 'FictionBook',
    sourceType: 'epub',
    extensions: ['.fb2', '.fb2.zip', '.fbz'],
    contentTypes: ['application/x-fictionbook+xml', 'application/zip', 'text/xml'],
  },
  mobi: {
    name: 'MOBI',
    sourceType: 'epub',
    extensions: ['.mobi', '.prc'],
    contentTypes: ['application/x-mobipocket-ebook'],
  },
  azw3: {
    name: 'AZW3',
    sourceType: 'epub',
    extensions: ['.azw3', '.azw'],
    contentTypes: ['application/vnd.amazon.mobi8-ebook', 'application/vnd.amazon.ebook'],
  },
  cbz: {
    name: 'CBZ',
    sourceType: 'epub',
    extensions: ['.cbz'],
    contentTypes: ['application/vnd.comicbook+zip', 'application/x-cbz', 'application/zip'],
  },
  html: {
    name: 'HTML',
    sourceType: 'epub',
    extensions: ['.html', '.htm', '.xhtml', '.mhtml', '.mht'],
    contentTypes: ['text/html', 'application/xhtml+xml', 'multipart/related', 'application/x-mimearchive'],
  },
  text: { name: 'plain text', sourceType: 'epub', extensions: ['.txt'], contentTypes: ['text/plain'] },
}

const formats = Object.entries(fileFormats) as [FileFormat, FormatFacts][]

/** All supported file name extensions. */
export const fileExtensions: readonly string[] = formats.flatMap(([, { extensions }]) => extensions)

/** All media types with which a file may be declared. */
export const fileContentTypes: readonly string[] = [...new Set(formats.flatMap(([, facts]) => facts.contentTypes))]

/** The supported formats, for messages: `PDF, EPUB, … and plain text files (.pdf, .epub, …)`. */
export const takenFiles = `${formatNames('and')} files (${fileExtensions.join(', ')})`

/** The names of the formats as a list. */
export function formatNames(conjunction: 'and' | 'or'): string {
  const names = formats.map(([, { name }]) => name)
  return `${names.slice(0, -1).join(', ')} ${conjunction} ${names.at(-1)}`
}

/** The format for the extension of a file name; null if it is not supported. */
export function formatOf(filename: string): FileFormat | null {
  const lower = filename.trim().toLowerCase()
  return formats.find(([, { extensions }]) => extensions.some((end) => lower.endsWith(end)))?.[0] ?? null
}

/** The format of a book's file. */
export function formatOfBook({
  fileFormat,
  sourceType,
}: {
  fileFormat?: FileFormat
  sourceType: SourceType
}): FileFormat {
  return fileFormat ?? sourceType
}

/** True if the file of a book is a comic, in which each page is a picture. */
export function isComic({ fileFormat }: { fileFormat?: FileFormat }): boolean {
  return fileFormat === 'cbz'
}

/** The accepted content types of a format, its own first. */
export function contentTypesOf(format: FileFormat): readonly string[] {
  return fileFormats[format].contentTypes
}
