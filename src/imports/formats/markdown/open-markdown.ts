import type { BookInfo, ExtractedPage, OpenBook, TocEntry } from '../format.ts'
import { FormatError } from '../format.ts'
import { decodeMarkdown } from './decode-markdown.ts'
import { readFrontMatter } from '../../../text/markdown/front-matter.ts'
import { splitPages } from '../../../text/markdown/split-pages.ts'
import { markdownToc } from '../../../text/markdown/markdown-toc.ts'
import { unreadableShare } from '../../../text/unreadable-share.ts'

/**
 * Opens a Markdown file. Its concatenated pages equal the text of the file, byte for byte if it is UTF-8; an empty file
 * has no pages.
 */
export const openMarkdown: OpenBook = async (bytes, limits) => {
  if (bytes.length > limits.totalBytes) {
    throw new FormatError('TOO_LARGE', `${bytes.length} bytes of Markdown; the limit is ${limits.totalBytes}`)
  }
  const text = decodeMarkdown(bytes)
  let contents = splitPages(text)
  if (contents.length > limits.pages) {
    throw new FormatError('TOO_LARGE', `${contents.length} pages; the limit is ${limits.pages}`)
  }
  const toc = markdownToc(contents)
  return {
    info: readInfo(text, toc),
    pageCount: contents.length,
    async *pages() {
      for (const content of contents) yield toPage(content)
    },
    toc: async () => toc,
    close: async () => {
      contents = []
    },
  }
}

function toPage(content: string): ExtractedPage {
  return { content, label: null, picture: false, garbled: unreadableShare(content) }
}

function readInfo(text: string, toc: readonly TocEntry[]): BookInfo {
  const fields = readFrontMatter(text)
  const field = (...names: string[]): string | null => names.map((name) => fields.get(name)).find(Boolean) ?? null
  const chapters = toc.filter(({ level }) => level === 1)
  return {
    // If there are several top-level headings, none is the title of the book; the file name provides the title.
    title: field('title') ?? (chapters.length === 1 ? (chapters[0]?.title ?? null) : null),
    author: field('author', 'authors', 'creator'),
    language: field('lang', 'language'),
    publisher: field('publisher'),
    isbn: field('isbn'),
    description: field('description', 'abstract', 'summary'),
  }
}
