import { PassThrough, Readable } from 'node:stream'
import JSZip from 'jszip'
import type { AccessibleBook } from '../../books/access.ts'
import type { Call } from '../../core/context.ts'
import { createPacer } from '../../runtime/turns.ts'
import { loadToc } from '../load-toc.ts'
import type { Manifest } from '../manifest.ts'
import type { ContentStores } from '../store.ts'
import { loadPages, type TextStreamServices } from '../stream-content.ts'
import { buildTocTree } from '../toc-tree.ts'
import {
  containerXml,
  navigationDocument,
  packageDocument,
  pageMark,
  styleSheet,
  xhtmlAround,
  type EpubBook,
  type Section,
} from './epub-documents.ts'
import { planSections } from './plan-sections.ts'
import { findFigureEntries } from './figure-entries.ts'
import { partsOfPage, type FigureFileNames } from './render-xhtml.ts'
import { renderPartInThread } from './xhtml-thread.ts'

type Stores = Call & ContentStores & TextStreamServices

const languageTag = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/

/**
 * Writes a version of a book as an EPUB 3, lazily: memory holds one text file at a time. Equal versions yield equal
 * bytes.
 */
export async function* writeEpub(ctx: Stores, book: AccessibleBook, manifest: Manifest): AsyncGenerator<Uint8Array> {
  const { id, title, author, description, publisher, updatedAt, language: stored, sourceType, hasFormulas } = book
  const language = stored !== null && languageTag.test(stored) ? stored : 'und'
  const { version, pageCount } = manifest
  const epub: EpubBook = { id, version, title, author, description, publisher, language, updatedAt }
  const toc = await loadToc(ctx, book, manifest)
  const { sections, sectionOf } = planSections(manifest, { toc, title })
  const linkTo = (page: number) => `${sectionOf(page).file}#p${page}`
  const html = sourceType === 'markdown'
  const math = html || hasFormulas === true
  const printedPages = sourceType === 'pdf' ? pageCount : 0
  const pages = Array.from({ length: printedPages }, (_, at) => ({ page: at + 1, label: String(at + 1) }))
  const figures = await findFigureEntries(ctx, manifest)
  const files = new Map(figures.map(({ id: figure, file }) => [figure, file]))
  const zip = new JSZip()
  const add = (name: string, data: string | Readable, compression: 'STORE' | 'DEFLATE' = 'DEFLATE') =>
    zip.file(name, data, { date: updatedAt, createFolders: false, compression, compressionOptions: { level: 4 } })
  // First and uncompressed, so that programs recognise the format by its first bytes (EPUB OCF 3.3, section 4.3).
  add('mimetype', 'application/epub+zip', 'STORE')
  add('META-INF/container.xml', containerXml)
  add('EPUB/nav.xhtml', navigationDocument(epub, buildTocTree(toc, pageCount), { linkTo, pages }))
  add('EPUB/book.css', styleSheet)
  for (const section of sections) {
    // Starts when the ZIP stream reaches it.
    add(
      `EPUB/${section.file}`,
      Readable.from(writeSection(ctx, manifest, { epub, section, files, linkTo, html, math }), { objectMode: false }),
    )
  }
  // After the text files, because it says which of them contain formulas.
  add(
    'EPUB/book.opf',
    Readable.from(
      lazily(() => packageDocument(epub, sections, figures)),
      { objectMode: false },
    ),
  )
  for (const { id: figure, file } of figures)
    add(`EPUB/${file}`, Readable.from(readFigure(ctx, manifest, figure), { objectMode: false }), 'STORE')
  yield* readZip(zip)
}

interface SectionOptions {
  epub: EpubBook
  section: Section
  files: FigureFileNames
  linkTo: (page: number) => string
  /** True if tags of HTML in the text are markup. */
  html: boolean
  /** True if dollar signs may enclose formulas. */
  math: boolean
}

async function* writeSection(
  ctx: Stores,
  manifest: Manifest,
  { epub, section, files, linkTo, html, math }: SectionOptions,
): AsyncGenerator<Buffer> {
  const pacer = createPacer(ctx.signal)
  const [start, end] = xhtmlAround(epub, section.title)
  yield Buffer.from(start)
  let page = section.first
  const linkToPage = (target: number) => (target >= 1 && target <= manifest.pageCount ? linkTo(target) : null)
  for await (const { content, label } of loadPages(ctx, manifest, { firstPage: page, lastPage: section.last })) {
    yield Buffer.from(pageMark(page, label ?? String(page)))
    for (const part of partsOfPage(content, `p${page}`, { figures: files, linkTo: linkToPage, html, math })) {
      if (pacer.isDue()) await pacer.yieldTurn()
      const rendered = await renderPartInThread(ctx, part)
      section.hasFormulas ||= rendered.includes('<math ')
      yield Buffer.from(rendered)
    }
    page++
  }
  if (section.last < section.first) yield Buffer.from('<p>This book has no text.</p>\n')
  yield Buffer.from(end)
}

/** Creates a text when the ZIP stream reaches it. */
function* lazily(create: () => string): Generator<Buffer> {
  yield Buffer.from(create())
}

/** The bytes of a figure, read when the ZIP stream reaches it; empty if it was removed in the meantime. */
async function* readFigure(
  { contents }: ContentStores,
  { itemId, figures }: Manifest,
  id: string,
): AsyncGenerator<Uint8Array> {
  const picture = figures ? await contents.figures.find(itemId, figures.revision, id) : null
  if (picture) yield picture.bytes
}

async function* readZip(zip: JSZip): AsyncGenerator<Uint8Array> {
  // Without data descriptors, which some readers reject; so a file is compressed before its header is written.
  const output = zip.generateNodeStream({ streamFiles: false, platform: 'UNIX' })
  const through = new PassThrough()
  output.on('error', (error) => through.destroy(error))
  output.pipe(through)
  yield* through as AsyncIterable<Buffer>
}
