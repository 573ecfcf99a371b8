/** What the contract calls the kind of a book. */
export type SourceType = 'pdf' | 'epub' | 'markdown'

/** What a file is. Files that are neither `pdf` nor `markdown` are text that flows, of the source type `epub`, but for pages of pictures. */
export type FileFormat = SourceType | 'text' | 'html' | 'fb2' | 'docx' | 'odt' | 'rtf' | 'mobi' | 'azw3' | 'cbz'

interface FormatFacts {
  /** As people call it. */
  name: string
  sourceType: SourceType
  /** Endings of file names; the first one is the usual one. */
  extensions: readonly string[]
  /** The media types that a file may be declared with, its own first. */
  contentTypes: readonly string[]
}

/** The formats that become books, in the order in which people read of them. */
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
    extensions: ['.html', '.htm', '.xhtml'],
    contentTypes: ['text/html', 'application/xhtml+xml'],
  },
  text: { name: 'plain text', sourceType: 'epub', extensions: ['.txt'], contentTypes: ['text/plain'] },
}

const formats = Object.entries(fileFormats) as [FileFormat, FormatFacts][]

/** Every ending of a file name that is taken. */
export const fileExtensions: readonly string[] = formats.flatMap(([, { extensions }]) => extensions)

/** Every media type that a file may be declared with. */
export const fileContentTypes: readonly string[] = [...new Set(formats.flatMap(([, facts]) => facts.contentTypes))]

/** What is taken, for messages: `PDF, EPUB, … and plain text files (.pdf, .epub, …)`. */
export const takenFiles = `${formatNames('and')} files (${fileExtensions.join(', ')})`

/** The names of the formats as a list. */
export function formatNames(conjunction: 'and' | 'or'): string {
  const names = formats.map(([, { name }]) => name)
  return `${names.slice(0, -1).join(', ')} ${conjunction} ${names.at(-1)}`
}

/** The format by the ending of a file name; null if it is not taken. */
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

/** Whether the file of a book is a comic: pictures, one a page. */
export function isComic({ fileFormat }: { fileFormat?: FileFormat }): boolean {
  return fileFormat === 'cbz'
}

/** The accepted content types of a format, its own first. */
export function contentTypesOf(format: FileFormat): readonly string[] {
  return fileFormats[format].contentTypes
}
