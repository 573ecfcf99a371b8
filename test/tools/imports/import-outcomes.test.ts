import { beforeAll, describe, expect, test } from 'vitest'
import { buildEpub } from '../../support/epub.ts'
import { assemblePdf, showText, writePdf } from '../../support/pdf.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { smallBooks } from '../../support/small-books.ts'
import { importFile, readPageTexts, sha256 } from '../../support/uploads.ts'

const server = useTestServer()
let person: Person

beforeAll(async () => {
  person = await server.createPerson()
})

const scan = { content: 'q 612 0 0 792 0 0 cm /Im Do Q' }
const text = {
  content: showText('Every word of this page can be read by everybody who wants to read it.', { x: 72, y: 700 }),
}
const garbled = {
  content: showText('Nobody can tell which letters these are meant to be', { x: 72, y: 700, font: 'F4' }),
}
const pages = (count: number, page: { content: string }) => Array.from({ length: count }, () => page)

/** A PDF with a password that is not empty. */
function lockedPdf(): Uint8Array {
  const key = `<${'ab'.repeat(32)}>`
  const encrypt = `<< /Filter /Standard /V 1 /R 2 /O ${key} /U ${key} /P -4 >>`
  const file = Buffer.from(writePdf({ pages: [text] })).toString('latin1')
  const trailer = `/Encrypt ${encrypt} /ID [<00> <00>] /Root 1 0 R`
  return Buffer.from(file.replace('/Root 1 0 R', trailer), 'latin1')
}

function protectedEpub(): Promise<Uint8Array> {
  const encryption = `<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:enc="http://www.w3.org/2001/04/xmlenc#">
    <enc:EncryptedData><enc:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/>
    <enc:CipherData><enc:CipherReference URI="OEBPS/one.xhtml"/></enc:CipherData></enc:EncryptedData></encryption>`
  return buildEpub({ files: { 'META-INF/encryption.xml': encryption, 'META-INF/rights.xml': '<rights/>' } })
}

function notAnEpub(): Promise<Uint8Array> {
  return buildEpub({ files: { 'META-INF/container.xml': null, 'OEBPS/book.opf': null } })
}

async function half(file: Promise<Uint8Array>): Promise<Uint8Array> {
  const bytes = await file
  return bytes.subarray(0, bytes.length / 2)
}

/** Checks that the original of a book is kept byte for byte, whatever the outcome of its import. */
async function expectOriginal(storageKey: string, bytes: Uint8Array): Promise<void> {
  const kept = await server.running.opened.services.files.checkout(storageKey.replace('incoming', 'originals'))
  expect(kept.sha256).toBe(sha256(bytes))
}

type File = () => Promise<Uint8Array> | Uint8Array

describe.concurrent('a file that cannot be read', () => {
  test.for<[string, string, File, string, RegExp]>([
    [
      'a PDF with a password',
      'a.pdf',
      lockedPdf,
      'ENCRYPTED',
      /password-protected; remove the password.*reprocess the book/,
    ],
    ['a PDF of only a header', 'a.pdf', () => Buffer.from('%PDF-1.7\n'), 'BROKEN', /damaged.*upload a good copy/],
    ['a PDF without its page tree', 'a.pdf', () => assemblePdf(new Map([[9, '<< >>']])), 'BROKEN', /damaged/],
    ['a PDF without a page', 'a.pdf', () => writePdf({ pages: [] }), 'EMPTY', /has no pages/],
    ['an EPUB with copy protection', 'a.epub', protectedEpub, 'DRM', /copy-protected \(DRM\)/],
    ['half an EPUB', 'a.epub', () => half(smallBooks.epub()), 'BROKEN', /damaged/],
    ['a zip file that is not an EPUB', 'a.epub', notAnEpub, 'BROKEN', /damaged/],
  ])('%s fails with its reason and keeps its original', async ([, filename, make, errorCode, says]) => {
    const bytes = await make()
    const { item, job, storageKey, itemId } = await importFile(server, person, { filename, bytes })
    expect(job).toMatchObject({ status: 'FAILED', errorCode, attempts: 1 })
    expect(job.error).toMatch(says)
    expect(item).toMatchObject({ status: 'FAILED', health: 'failed', healthReason: job.error, pageCount: 0 })
    expect(await readPageTexts(server, person, itemId)).toEqual([])
    await expectOriginal(storageKey, bytes)
  })

  test('of which some pages were read leaves no pages behind', async () => {
    const good = Array.from({ length: 400 }, (_, n) => [`${n}.xhtml`, `<p>${'A page like others. '.repeat(150)}</p>`])
    const bytes = await buildEpub({
      chapters: { ...Object.fromEntries(good), 'bomb.xhtml': `<p>${'x'.repeat(20_000_000)}</p>` },
    })
    const { item, job, itemId, jobId } = await importFile(server, person, { filename: 'a.epub', bytes })
    expect(job).toMatchObject({ status: 'FAILED', errorCode: 'TOO_LARGE' })
    expect(item).toMatchObject({ status: 'FAILED', healthReason: job.error })
    expect((await server.running.opened.services.contents.storedPageIds(itemId, `${jobId}-1`)).size).toBe(0)
  })
})

describe.concurrent('a file with little or no text', () => {
  test.for<[string, string, File, string, RegExp]>([
    ['a scan', 'a.pdf', () => writePdf({ pages: pages(6, scan) }), 'empty', /page images and no text.*\(OCR\)/],
    [
      'a scan with a cover',
      'a.pdf',
      () => writePdf({ pages: [{ content: showText('Cover', { x: 72, y: 700 }) + scan.content }, ...pages(20, scan)] }),
      'unreadable',
      /is a scan.*\(OCR\)/,
    ],
    ['blank pages', 'a.pdf', () => writePdf({ pages: pages(3, { content: '' }) }), 'empty', /No text was found/],
    [
      'fonts without letters',
      'a.pdf',
      () => writePdf({ pages: pages(4, garbled) }),
      'unreadable',
      /fonts.*do not map to letters/,
    ],
    [
      'text on a third of its pages',
      'a.pdf',
      () => writePdf({ pages: [...pages(2, text), ...pages(4, { content: '' })] }),
      'partial',
      /4 of 6 pages/,
    ],
    [
      'an EPUB of empty chapters',
      'a.epub',
      () => buildEpub({ chapters: { 'one.xhtml': '<p> </p>' } }),
      'empty',
      /text/,
    ],
    ['Markdown of blanks', 'a.md', () => Buffer.from(' \n\n\t\n'), 'empty', /text/],
  ])('%s is never ok: it gives the reason and the next step', async ([, filename, make, health, says]) => {
    const bytes = await make()
    const { item, job, storageKey } = await importFile(server, person, { filename, bytes })
    expect(item.health).toBe(job.status === 'FAILED' ? 'failed' : health)
    expect(item.healthReason).toMatch(job.status === 'FAILED' ? /has no pages/ : says)
    expect(job.status === 'FAILED' ? item.status : 'READY').toBe(item.status)
    await expectOriginal(storageKey, bytes)
  })
})

describe.concurrent('a file that needs confirmation', () => {
  test('asks for a title if neither the file nor its name has one', async () => {
    const bytes = writePdf({ pages: [text], info: '/Title (Microsoft Word - draft_7.doc)' })
    const { item } = await importFile(server, person, { filename: 'scan0001.pdf', bytes })
    expect(item).toMatchObject({ title: 'scan0001', status: 'READY', health: 'needs_confirmation' })
    expect(item.healthReason).toMatch(/looks like a file name; enrich/)
  })

  test('names the other book with the same file', async () => {
    const owner = await server.createPerson()
    const bytes = writePdf({ pages: [text, text], info: '/Title (On Whales)' })
    const first = await importFile(server, owner, { filename: 'one.pdf', bytes })
    const second = await importFile(server, owner, { filename: 'two.pdf', bytes })
    expect(first.item).toMatchObject({ title: 'On Whales', health: 'ok' })
    expect(second.item).toMatchObject({ status: 'READY', health: 'needs_confirmation' })
    expect(second.item.healthReason).toMatch(/the same as that of "On Whales"/)
    const foreign = await importFile(server, await server.createPerson(), { filename: 'three.pdf', bytes })
    expect(foreign.item).toMatchObject({ health: 'ok' })
  })

  test('a very long title or author is truncated between characters', async () => {
    const title = `${'w'.repeat(199)}${'🐳'.repeat(20)}`
    const metadata = `<dc:title>${title}</dc:title><dc:creator>${'🐙'.repeat(150)}</dc:creator>`
    const { item } = await importFile(server, person, { filename: 'a.epub', bytes: await buildEpub({ metadata }) })
    expect(item.title.isWellFormed() && item.author?.isWellFormed()).toBe(true)
    expect(item.title).toMatch(/^w{199}/)
    expect(item.title.length).toBeLessThanOrEqual(200)
  })
})
