import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { corpus, pagesOf, type BookKey } from '../evaluation/corpus.ts'
import { buildEpub } from './epub.ts'
import { showLines, showText, writePdf, type TestOutline } from './pdf.ts'

/** A chapter of the evaluation's books, in plain text. */
interface Chapter {
  title: string
  lines: string[]
}

/** Creates PDF and EPUB books of realistic size from the texts of the evaluation; returns their paths. */
export async function writeMadeBooks(): Promise<{ files: string[]; remove(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'lectern-books-'))
  const books: [name: string, bytes: Uint8Array][] = [
    ['keeper-with-outline.pdf', pdfOf('keeper', { hasOutline: true })],
    ['canal-without-outline.pdf', pdfOf('canal', { hasOutline: false })],
    ['bees-with-navigation.epub', await epubOf('bees', 'nav')],
    ['tarn-with-ncx.epub', await epubOf('tarn', 'ncx')],
  ]
  const files = books.map(([name]) => join(directory, name))
  for (const [index, [, bytes]] of books.entries()) await writeFile(files[index] as string, bytes)
  return { files, remove: () => rm(directory, { recursive: true, force: true }) }
}

function chaptersOf(key: BookKey): Chapter[] {
  return pagesOf(key).map((page, index) => {
    const plain = page.replaceAll(/[#*_`|>]/g, '').replaceAll(/[^\x20-\x7e\n]/g, '-')
    const [heading = '', ...rest] = plain.split('\n').map((line) => line.trim())
    // Titles are unique and contain no characters that PDF strings must escape.
    const title = `${index + 1}. ${heading.replaceAll(/[\\()]/g, '')}`
    return { title, lines: rest.join(' ').match(/.{1,85}(?:\s|$)/g) ?? [] }
  })
}

/** One chapter per page; the outline has a part for every five chapters. */
function pdfOf(key: BookKey, { hasOutline }: { hasOutline: boolean }): Uint8Array {
  const chapters = chaptersOf(key)
  const outline: TestOutline[] = []
  for (let first = 0; first < chapters.length; first += 5) {
    const children = chapters.slice(first, first + 5).map(({ title }, at) => ({ title, page: first + at }))
    outline.push({ title: `Part ${outline.length + 1}`, page: first, children })
  }
  return writePdf({
    pages: chapters.map(({ title, lines }) => ({
      content: showText(title, { x: 72, y: 730, size: 20, font: 'F2' }) + showLines(lines, { x: 72, y: 690 }),
    })),
    info: `/Title (${corpus[key].title.replaceAll(/[\\()]/g, '')})`,
    compress: true,
    ...(hasOutline ? { outline } : {}),
  })
}

function epubOf(key: BookKey, contents: 'nav' | 'ncx'): Promise<Uint8Array> {
  const chapters = chaptersOf(key).map(({ title, lines }, index) => ({
    file: `chapter-${index + 1}.xhtml`,
    title: escapeXml(title),
    text: escapeXml(lines.join(' ')),
  }))
  const links = chapters.map(({ file, title }) => `<li><a href="${file}">${title}</a></li>`)
  const points = chapters.map(
    ({ file, title }) => `<navPoint><navLabel><text>${title}</text></navLabel><content src="${file}"/></navPoint>`,
  )
  return buildEpub({
    chapters: Object.fromEntries(chapters.map(({ file, title, text }) => [file, `<h1>${title}</h1><p>${text}</p>`])),
    metadata: `<dc:title>${escapeXml(corpus[key].title)}</dc:title>`,
    ...(contents === 'nav'
      ? { nav: `<nav epub:type="toc"><ol>${links.join('')}</ol></nav>` }
      : { ncx: `<navMap>${points.join('')}</navMap>` }),
  })
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
