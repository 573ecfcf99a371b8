import JSZip from 'jszip'
import { buildKindle } from './kindle.ts'
import { photograph } from './figures.ts'
import { webArchive } from './web-archive.ts'
import { docxOf, docxParagraph, fb2Of, odtOf, rtfOf } from './documents.ts'

/** The words on each of the two pages of every small book. */
export const smallBookPages = ['The first page speaks of whales.', 'The second page speaks of ships.']

/** A small, complete book of each format; also used to make damaged ones. */
export const smallBooks = {
  pdf: smallPdf,
  epub: smallEpub,
  markdown: smallMarkdown,
  text: smallText,
  html: smallHtml,
  mhtml: smallMhtml,
  fb2: smallFb2,
  docx: smallDocx,
  odt: smallOdt,
  rtf: smallRtf,
  mobi: smallMobi,
  azw3: smallAzw3,
  cbz: smallCbz,
}

/** Fills a page, so that the chapter after it starts the next one. */
const filler = 'It goes on for as long as the sea is wide. '.repeat(50)
const chapters = smallBookPages.map((text, at) => ({ title: `Chapter ${at + 1}`, paragraphs: [text, filler.trim()] }))

function smallText(): Promise<Buffer> {
  const text = chapters.map(({ title, paragraphs }) => [title, ...paragraphs].join('\n\n'))
  return Promise.resolve(Buffer.from(text.join('\n\n\n')))
}

function smallHtml(): Promise<Buffer> {
  const body = chapters.map(
    ({ title, paragraphs }) => `<h1>${title}</h1>${paragraphs.map((text) => `<p>${text}</p>`).join('')}`,
  )
  return Promise.resolve(
    Buffer.from(
      `<!DOCTYPE html><html lang="en"><head><title>A Small Book</title></head><body>${body.join('')}</body></html>`,
    ),
  )
}

async function smallMhtml(): Promise<Buffer> {
  return webArchive([[{ 'Content-Type': 'text/html' }, await smallHtml()]])
}

function smallFb2(): Promise<Buffer> {
  const sections = chapters.map(
    ({ title, paragraphs }) =>
      `<section><title><p>${title}</p></title>${paragraphs.map((text) => `<p>${text}</p>`).join('')}</section>`,
  )
  return Promise.resolve(
    fb2Of({ title: '<book-title>A Small Book</book-title><lang>en</lang>', body: sections.join('') }),
  )
}

function smallDocx(): Promise<Buffer> {
  const body = chapters.map(
    ({ title, paragraphs }) =>
      docxParagraph(title, 'Heading1') + paragraphs.map((text) => docxParagraph(text)).join(''),
  )
  return docxOf({ body: body.join(''), core: '<dc:title>A Small Book</dc:title>' })
}

function smallOdt(): Promise<Buffer> {
  const body = chapters.map(
    ({ title, paragraphs }) =>
      `<text:h text:outline-level="1">${title}</text:h>${paragraphs.map((text) => `<text:p>${text}</text:p>`).join('')}`,
  )
  return odtOf({ body: body.join(''), meta: '<dc:title>A Small Book</dc:title>' })
}

function smallRtf(): Promise<Buffer> {
  const body = chapters.map(
    ({ title, paragraphs }) =>
      `\\pard\\s1 ${title}\\par ${paragraphs.map((text) => `\\pard\\s0 ${text}\\par `).join('')}`,
  )
  return Promise.resolve(rtfOf({ body: body.join(''), info: '{\\title A Small Book}' }))
}

const kindleChapters = chapters.map(
  ({ title, paragraphs }) => `<h1>${title}</h1>${paragraphs.map((text) => `<p>${text}</p>`).join('')}`,
)
const kindleBook = {
  title: 'A Small Book',
  contents: chapters.map(({ title }) => ({ title, at: `<h1>${title}` })),
}

function smallMobi(): Promise<Buffer> {
  const html = `<html><head></head><body>${kindleChapters.join('<mbp:pagebreak/>')}</body></html>`
  return Promise.resolve(buildKindle({ ...kindleBook, html }))
}

function smallAzw3(): Promise<Buffer> {
  return Promise.resolve(buildKindle({ ...kindleBook, files: kindleChapters }))
}

async function smallCbz(): Promise<Buffer> {
  const zip = new JSZip()
  for (const name of ['page 10.png', 'page 9.png']) zip.file(name, photograph(name.length))
  return zip.generateAsync({ type: 'nodebuffer' })
}

function smallMarkdown(): Promise<Buffer> {
  return Promise.resolve(Buffer.from(smallBookPages.map((text, at) => `# Chapter ${at + 1}\n\n${text}\n`).join('\n')))
}

async function smallPdf(): Promise<Buffer> {
  const [first, second] = smallBookPages.map((text) => `BT /F1 12 Tf 72 720 Td (${text}) Tj ET`)
  return pdfOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>',
    pdfPage(6),
    pdfPage(7),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    pdfStream(first ?? ''),
    pdfStream(second ?? ''),
  ])
}

function pdfPage(contents: number): string {
  return `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${contents} 0 R /Resources << /Font << /F1 5 0 R >> >> >>`
}

function pdfStream(content: string): string {
  return `<< /Length ${content.length} >>\nstream\n${content}\nendstream`
}

/** A PDF file of these objects, numbered from 1; the first is the catalog. */
function pdfOf(objects: string[]): Buffer {
  let file = '%PDF-1.7\n'
  const offsets: number[] = []
  for (const [at, object] of objects.entries()) {
    offsets.push(file.length)
    file += `${at + 1} 0 obj\n${object}\nendobj\n`
  }
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  const xref = `xref\n0 ${size}\n0000000000 65535 f \n${entries}`
  return Buffer.from(
    `${file}${xref}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`,
    'latin1',
  )
}

async function smallEpub(): Promise<Buffer> {
  const zip = new JSZip()
  zip.file('mimetype', 'application/epub+zip', { compression: 'STORE' })
  zip.file(
    'META-INF/container.xml',
    `<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
    <rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
  )
  zip.file(
    'book.opf',
    `<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
    <metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">x</dc:identifier>
    <dc:title>A Small Book</dc:title><dc:language>en</dc:language></metadata>
    <manifest><item id="p1" href="1.xhtml" media-type="application/xhtml+xml"/>
    <item id="p2" href="2.xhtml" media-type="application/xhtml+xml"/></manifest>
    <spine><itemref idref="p1"/><itemref idref="p2"/></spine></package>`,
  )
  for (const [at, text] of smallBookPages.entries()) {
    zip.file(
      `${at + 1}.xhtml`,
      `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>${at + 1}</title></head><body><p>${text}</p></body></html>`,
    )
  }
  return zip.generateAsync({ type: 'nodebuffer', compression: 'DEFLATE' })
}
